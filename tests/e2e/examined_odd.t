#!/bin/sh
# examined_odd.t -- neither an examiner nor a recorder that comes and goes disturbs programs that do
# what few do: they raise SIGTRAP, call by int 0x80, have calls dispatched, work in restartable
# sequences or on small stacks, lock files, are stopped by SIGSTOP, or execute a program meanwhile.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/examined.sh"
need_bin memusage examined_odd
need mkfifo
need_tracing
need_machine x86_64 'examined_odd is for x86_64'
PATH=$WORKLOADS:$PATH

check_leaks() { timeout 60 memusage "$@" --pid="$program" leak_check summary >log 2>&1; }

for way in trap int80 dispatch sequence locks coroutine; do
	begin_examined examined_odd $way
	examined=0
	for i in $(seq "$(attempts 20 60)"); do
		check_leaks && grep -q 'definitely lost:' log && examined=$((examined + 1))
		[ $way != trap ] || check_leaks --snapshot=stop
	done
	end_examined
	if [ "$(tail -1 output)" = unknown ]; then
		skip "$way: not on this machine" 2
		continue
	fi
	is "$examined" "$i" "$way: is examined"
	is "$ended $(tail -1 output)" '0 wrong=0' '... and not disturbed'
done

# A thread that executes a program waits for those that are traced: the examiner lets them die.
for way in execute resumed; do
	slow=0
	for i in $(seq "$(attempts 3 20)"); do
		begin_examined examined_odd $way
		# It is over before the check is.
		check_leaks
		[ $? != 124 ] || slow=$((slow + 1))
		end_examined
		[ "$ended $(tail -1 output)" = '0 wrong=0' ] && continue
		slow=$((slow + 1))
		diag "$(cat output log)"
	done
	is "$slow" 0 "$way: a program is executed at once"
done

need_attach
is_stopped() { grep -q '^State:[[:space:]]*T' "/proc/$program/status"; }
for way in trap dispatch sequence coroutine; do
	begin_stranger examined_odd $way
	# One that can make no call now is left alone.
	timeout -s INT 3 memusage --attach="$program" --duration=200ms -o report 2>attach.err
	end_stranger
	[ "$(tail -1 output)" != unknown ] || { skip "$way: not on this machine"; continue; }
	is "$ended $(tail -1 output)" '0 wrong=0' "$way: a recorder comes and goes"
done

# SIGSTOP at any moment of an examination stops the process.
begin_examined examined_odd coroutine
kept=0
for i in $(seq "$(attempts 20 100)"); do
	check_leaks &
	sleep "0.0$((i % 4))$((i % 10))"
	kill -STOP "$program"
	wait $!
	until_true is_stopped && kept=$((kept + 1))
	kill -CONT "$program"
done
is "$kept" "$i" 'SIGSTOP stops a process that is examined'
end_examined
is "$ended $(tail -1 output)" '0 wrong=0' '... which goes on as alone'

# A process in a frozen group cannot make the call.
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/memusage-frozen-$$
begin_examined examined_odd coroutine
if mkdir "$group" 2>/dev/null && echo "$program" 2>/dev/null >"$group/cgroup.procs" &&
		echo 1 2>/dev/null >"$group/cgroup.freeze" && until_true grep -q 'frozen 1' "$group/cgroup.events"; then
	check_leaks
	is $? 125 'a process in a frozen control group is not examined'
	like "$(cat log)" 'its control group is frozen, .*thaw it' '... which is said'
	echo 0 >"$group/cgroup.freeze"
	until_true grep -q 'frozen 0' "$group/cgroup.events"
	ok '... until it is thawed' check_leaks
else
	skip 'no control group can be frozen here' 3
fi
end_examined
is "$ended $(tail -1 output)" '0 wrong=0' '... and it goes on as alone'
rmdir "$group" 2>/dev/null
done_testing
