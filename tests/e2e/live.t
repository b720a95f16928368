#!/bin/sh
# live.t -- memusage --pid looks at a process that runs under memusage, stops and starts recording:
# snapshots are exact, busy or idle, and what is recorded is what happened while it was on.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

# start OPTION...: the workload; its pid is $pid, `tell` talks to it
start() {
	begin_live memusage -o report "$@" sh -c 'echo $$ >pid; exec live'
	tell alloc 1 10
	pid=$(cat pid)
}
call() { memusage "--pid=$pid" "$@"; }
row() {
	awk -F'|' -v want="$1" '{ gsub(/ /, "", $1) }
		$1 == want { split($2, n, " "); print n[1], n[2] }' report
}

# ---- snapshots ---------------------------------------------------------------------------

start --massif --massif-out-file=massif.run --heap-admin=0 --depth=5
tell alloc 100 1000
run call detailed_snapshot
is "$status" 0 'detailed_snapshot of an idle process'
is "$(field heap_tree massif.vgdb.out)" detailed 'is in massif.vgdb.out'
is "$(field mem_heap_B massif.vgdb.out)" 100010 'and has every byte'
is "$(field mem_heap_extra_B massif.vgdb.out)" $((100 * 8 + 6)) '... and extra byte'
like "$(cat massif.vgdb.out)" 'n[0-9]*: 100010 0x[0-9A-F]*: keep \(([^ ]*/)?live.c:' 'with its tree'
like "$(head -1 massif.vgdb.out)" 'desc: .*--heap-admin=0 --depth=5' 'and the options of the run'
is "$(grep -c '^snapshot=' massif.vgdb.out)" 1 'it is one snapshot'
tell free 10
run call sna small.out
is "$status,$(field heap_tree small.out)" 0,empty 'snapshot, shortened, into a file of ours'
is "$(field mem_heap_B small.out)" 91000 'after frees'
run call all_snapshots all.out
is "$status" 0 'all_snapshots'
num "$(grep -c '^snapshot=' all.out)" -ge 2 'are some'
is "$(field snapshot all.out | tail -1)" $(($(grep -c '^snapshot=' all.out) - 1)) 'numbered'
run call xtmemory
is "$status" 0 'xtmemory'
run call xtmemory 'second.%n'
ok 'names its files by process and number' test -s "xtmemory.kcg.$pid.1" -a -s second.2
ok 'ms_print takes them' memusageprint massif.vgdb.out
tell threads 8
tell busy
# A snapshot is the best of eight attempts, and exact to within the bytes that moved meanwhile: on a busy
# machine the reader may lose its processor in all eight.
i=0 good=0
while [ $i -lt 15 ] && [ $good -lt 10 ]; do
	i=$((i + 1))
	rm -f busy.out
	run call -q det busy.out
	bytes=$(field mem_heap_B busy.out)
	if [ "$(field heap_tree busy.out)" = detailed ] && [ "$bytes" -ge 99000 ] &&
		[ "$bytes" -le 104000 ]; then
		good=$((good + 1))
	else
		diag "status $status, ${bytes:-no} bytes: $err"
	fi
done
is $good 10 'ten while a thread allocates'
run call status
like "$out" "^process $pid live, recorded for " 'status'
like "$out" '^heap: (9[5-9]|10[0-2])[.0-9]* KiB live' '... knows the heap'
like "$out" 'of memory now' '... and what the kernel sees'
end
is "$(tail -1 massif.run | grep -c .)" 1 'the profile of the run is written as ever'
like "$(cat report)" 'Memory usage summary' 'and its report'

# ---- stop and start ----------------------------------------------------------------------

for mode in counting stacks; do
	[ $mode = counting ] && start || start --record=live.mur
	tell alloc 100 1000
	call -q stop
	is $? 0 "$mode: stop"
	tell alloc 50 700
	tell free 21
	tell realloc 10 5000
	like "$(call status)" '^recording: stopped' "$mode: status says so"
	call -q start
	tell alloc 10 500
	end
	# 10 + 100 000 before; freed: 10, 20 x 1000; 10 x 1000 grow; then 10 x 500
	is "$(row malloc)" '111 105010' "$mode: blocks of before and after, none between"
	is "$(row free)" '21 20010' "$mode: the ends of blocks that were recorded"
	is "$(row realloc)" '10 40000' "$mode: and what becomes of them"
	like "$(cat report)" 'heap total: 145010, heap peak: 125000,' "$mode: totals are exact"
	like "$(cat report)" 'recording was paused for .*: 50 allocations of 34.2 KiB are left out' \
		"$mode: the report says so"
done
memusageprint --to=json -o live.json live.mur
like "$(cat live.json)" '"now":125000,' 'what is left is exact'
start
call -q stop
tell alloc 5 5
tell busy
call -q start
call -q stop
before=$(call status | grep '^heap')
sleep 0.2
is "$(call status | grep '^heap')" "$before" 'nothing moves while it is stopped'
call -q start
has_moved() { [ "$(call status | grep '^heap')" != "$before" ]; }
ok 'and goes on afterwards' until_true has_moved
end

# ---- what cannot be done -----------------------------------------------------------------

start
tell alloc 10 100
run call detailed_snapshot plain.out
is "$status" 0 'a run that only counts has snapshots'
is "$(field mem_heap_B plain.out)" 1010 'of its heap'
like "$err" 'no call stacks' 'and says why there is no tree'
run call all_snapshots
is "$status" 125 'but no series'
run call snapshot /nonexistent/file
isnt "$status" 0 'a file that cannot be written'
like "$err" 'nonexistent' '... is named'
if [ -w /dev/full ]; then
	run call snapshot /dev/full
	isnt "$status" 0 'a full disk is an error'
fi
run call st
is "$status" 125 'an ambiguous command'
like "$err" 'status.*stop|stop.*status' '... says what it could be'
run call frobnicate
is "$status" 125 'an unknown command'
run call snapshot a b
is "$status" 125 'too many operands'
run call help
like "$out" 'detailed_snapshot \[FILE\]' 'help'
end
run memusage --pid="$pid" status
is "$status" 125 'a process that is gone'
like "$err" "there is no process $pid" '... is said to be'
sleep 1000 &
stranger=$!
until_true grep -q '^sleep' "/proc/$stranger/cmdline"
run memusage --pid=$stranger snapshot
is "$status" 125 'a process that does not run under memusage'
like "$err" 'does not run under memusage' '... is said not to'
like "$out" 'of memory now.* at most, 1 thread:' '... what its memory is'
like "$out" 'has not changed in 3 seconds|by .* in 3 seconds' '... how it grows'
like "$out" 'memusage --record -- sleep 1000' '... and what to do'
kill $stranger
mkdir elsewhere
cat >script <<'END'
while sleep 1; do :; done
# it's "two" lines
END
(cd elsewhere && exec sh -c "$(cat ../script)") &
stranger=$!
until_true grep -q 'two' "/proc/$stranger/cmdline"
run memusage --pid=$stranger snapshot
kill $stranger
line=$(printf '%s\n' "$out" | sed -n '/^  cd /,/^and then/p' | sed '$d; s/memusage --record -- sh/printf %s/')
sh -c "${line}" sh >again 2>/dev/null
is "$(cat again)" "-c$(cat script)" 'the command can be given to a shell as it is'
# argv[0] is the process's choice: it could be an option that names a file.
python3 -c 'import os; os.execv("/bin/sleep", ["--output=victim", "1000"])' 2>/dev/null &
stranger=$!
if command -v python3 >/dev/null && until_true grep -q victim "/proc/$stranger/cmdline"; then
	run memusage --pid=$stranger status
	like "$out" 'memusage --record -- --output=victim 1000' 'a name that is an option is none'
else
	skip 'no python3 here' 1
fi
kill $stranger
done_testing
