#!/bin/sh
# forks_at_once.t -- forks that meet other forks, handlers and ends of threads: no child dies of it,
# every child is in the report or counted as lost, and the parent's figures are true.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin forkers
runs=$(attempts 3 300)

# The number of children that the report says are missing.
lost() { sed -n 's/^memusage: not recorded: \([0-9]*\) forked processes:.*/\1/p' report; }

# again TEXT OPTIONS -- COMMAND...: RUNS runs, each with its statuses and its truth.
again() {
	again_text=$1 again_bad=0 again_i=0
	shift
	while [ $((again_i += 1)) -le "$runs" ]; do
		memusage -o report "$@" >said 2>&1 ||
			{ again_bad=$((again_bad + 1)); diag "run $again_i: $(cat said)"; }
		awk "$report_table" report | awk "$truth_check" - said >verdicts
		if grep -v '^ok' verdicts >wrong || [ ! -s verdicts ] || [ "$(lost)" ]; then
			diag "run $again_i: $(cat wrong) $(grep 'not recorded' report)"
			again_bad=$((again_bad + 1))
		fi
	done
	recorded "$again_text"
	is "$again_bad" 0 "$again_text: $runs runs, all children there, all figures true"
}

again 'threads that fork at once' -- forkers at-once 8
again 'the same with call stacks' --record=stacks.mur -- forkers at-once 8
again 'the same beside threads that allocate, begin and end' -- forkers busy 5
again 'the same with call stacks' --record=stacks.mur -- forkers busy 5
again 'prepare handlers that overlap' -- forkers overlap 8
[ "$(sed -n 's/^overlapped=//p' said)" = yes ] && pass 'they did overlap' ||
	skip 'libc runs the handlers of one thread at a time'

# A fork in a handler that interrupted an event is not recorded: the event is its parent's.
for mode in --color=never --record=stacks.mur; do
	for handler in handler bare-handler raw-handler clone-handler; do
		text="forks in a signal handler, $handler $mode"
		run memusage -o report $mode -- forkers $handler 150
		is "$status" 0 "$text: no child dies"
		recorded "$text"
		truths "$text" .out report
		num "$(lost)" -ge 1 "$text: some interrupted an event"
		num "$(lost)" -le 151 "$text: none is counted twice"
	done
done

# A handler that forks at the end of each system call for memory, also of those in an event. Each way
# in one mode; with MU_SLOW, in both.
for mode in --data=interrupted.dat --record=interrupted.mur; do
	is_turn 2 # the second mode has the other ways
	for kind in fork bare raw clone3; do
		is_turn 2 || continue
		text="forks at each system call for memory, $kind $mode"
		run memusage -o report "$mode" -- interrupted "$kind"
		if [ "$status" -eq 77 ]; then
			skip "$text: nothing can be traced here"
			continue
		fi
		is "$status" 0 "$text: the program ends"
		recorded "$text"
		like "$(cat .out)" '^forks=[1-9][0-9]+ harmed=0$' "$text: each child ends as it should"
		num "$(lost)" -ge 1 "$text: some interrupted an event"
	done
done

# The library alone keeps all events of its log, of which such a child needs a page or two.
if env LD_PRELOAD="$MU_BUILD/lib/memusage/libmemusage.so" MEMUSAGE_OUTPUT=long.dat \
	"$WORKLOADS/forkers" long-handler 100 >said 2>report; then
	pass 'a child that interrupted an event does not copy the log'
else
	fail 'a child that interrupted an event does not copy the log' "$(tail -n 3 report)"
fi
num "$(wc -c <long.dat)" -gt $((24 * 1200000)) '... and it was long'

# Somebody allocates between the copy and the fork, while libc waits for him.
run memusage -o report -- forkers late 1
is "$status" 0 'an event between the copy and the fork: nobody waits for ever'
recorded 'an event between the copy and the fork'
truths 'an event between the copy and the fork' .out report
is "$(lost)" 1 'its child is not recorded, and counted'

# Its slot was free again, and another process's.
run memusage -o report -- forkers orphan
is "$status" 0 'a child that begins seconds after its parent has ended: it works'
recorded 'a child that begins late'
truths 'a child that begins late' .out report

# Until glibc 2.33 a lock of libc stays taken, and the program hangs alone. Nothing else is skipped.
timeout 60 "$WORKLOADS/forkers" leave 5 >alone
if [ $? -ne 124 ]; then
	run memusage -o report -- forkers leave 5
	is "$status" 0 'forks that are left by longjmp'
	recorded 'forks that are left by longjmp'
	truths 'forks that are left by longjmp' .out report
	is "$(lost)" '' 'those after them are recorded'
else
	skip 'libc hangs after a fork that is left by longjmp' 4
fi
done_testing
