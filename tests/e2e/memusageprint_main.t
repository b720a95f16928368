#!/bin/sh
# memusageprint_main.t -- without --pid the process is reported that memusage started.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint forks heap

# main_is TEXT CMD...: the first rows of the recording's summary are the report's
main_is() {
	main_text=$1
	shift
	memusage -o report --record=kept.mur -- "$@" >/dev/null
	ok "$main_text: printed" memusageprint --summary -o printed kept.mur
	grep '^memusage: [^p]' report >want
	grep '^memusage: [^p]' printed >got
	same got want "$main_text: with the notes of the report"
	sed '/^Histogram/,$d' report >want
	sed '/^Histogram/,$d' printed >got
	same got want "$main_text: the process that was started"
}
main_is 'no children' heap one 1
main_is 'a child that ends first' forks fork 1
main_is 'many children' forks fork 5
main_is 'children of children' forks nested 3
main_is 'programs as children' sh -c 'heap one 1; heap one 2; echo $(heap one 3)'
main_is 'a chain of execs' forks chain 3
main_is 'a child that is older than what its parent became' sh -c '(heap one 1) & wait; exec heap one 2'
done_testing
