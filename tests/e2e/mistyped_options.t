#!/bin/sh
# mistyped_options.t -- what memusage says of options that are mistyped, misplaced or useless.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"

# first_line COMMAND...: the first line of the complaint.
first_line() {
	"$@" 2>&1 >/dev/null </dev/null | sed q
}

is "$(first_line memusage --hmtl=x true)" \
	"memusage: unknown option '--hmtl': did you mean --html?" 'a letter misplaced'
is "$(first_line memusage --to=json true)" \
	"memusage: unknown option '--to': memusageprint has it, as in 'memusageprint --to=json FILE'" \
	'an option of memusageprint, which would abbreviate --total'
is "$(first_line memusage --flame true)" \
	"memusage: unknown option '--flame': memusagestat has it, as in 'memusagestat --flame FILE flame.svg'" \
	'an option of memusagestat'
is "$(first_line memusage --top 5 true)" \
	"memusage: --top takes its value after a '=': write --top=5" 'a value apart from its option'
is "$(first_line memusageprint --tree end run.mur)" \
	"memusageprint: --tree takes its value after a '=': write --tree=end" '... and a word'
is "$(first_line memusage -q -t true)" \
	'memusage: -t (--time-based) changes only the picture, and none is drawn: add --png=FILE' \
	'an option that changes nothing'
is "$(first_line memusage -q -t -p run.png true)" '' '... is silent where it does'
# Every command line that is suggested names a real option.
for word in plot to group grep lifetimes marks summary sort ad-hoc invert root; do
	like "$(memusageprint --help=all)" " --$word(\\[?=| )" "memusageprint has --$word"
done
done_testing
