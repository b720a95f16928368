#!/bin/sh
# examined_starved.t -- a process is examined also if its threads get hardly any processor time: they come
# to their stop late.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint leak_hidden
need mkfifo chrt taskset
need_tracing
PATH=$WORKLOADS:$PATH

begin_steps memusage -q --top -o report leak_hidden
program=$(pids leak_hidden "$launcher" | head -1)
await_input
if ! chrt -i -p 0 "$program" || ! taskset -cp 0 "$program" >/dev/null; then
	end_steps
	skip_all 'no process may be pinned to a processor here'
fi
# Four others have that processor for a while, and the program only what they leave.
busy=
for _ in 1 2 3 4; do
	taskset -c 0 timeout 6 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
for try in 1 2 3; do
	run memusage --pid="$program" leak_check summary any
	is "$status" 0 "check $try of a process that gets no processor" || diag "$err"
	printf '%s\n' "$out" >log
	is "$(leak_sums log | cut -d' ' -f1)" '4000/225' '... finds what is lost'
done
# shellcheck disable=SC2086  # several
kill $busy 2>/dev/null
end_steps
is "$?" 0 'the program ends as alone'
done_testing
