#!/bin/sh
# recorder_ends.t -- the summary is whole and right, however the program ends.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin ends
# shellcheck disable=SC3045
ulimit -c 0

for how in return exit _exit quick_exit syscall thread_exit abort trap segv closed kill-15 kill-9 \
	kill-1 kill-14; do
	profiled "$how" ends "$how"
done
is "$(ends quick_exit >/dev/null; echo $?)" 9 'quick_exit is what it says'

profiled 'exit handlers are counted' ends exit
is "$(report_field 6992-7007 count)" 1 'the block of the exit handler'
memusage -o report -- ends _exit >/dev/null
is "$(report_field 6992-7007 count)" 0 'none with _exit'
done_testing
