#!/bin/sh
# paused_start.t -- A program that begins asleep (--start-paused) notices nothing; what it allocates
# between start and stop is recorded to the last block, and nothing else is; threads, forked children,
# executed programs and sandboxes included, whatever happens to the client.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH
preload=$MU_BUILD/lib/memusage/libmemusage.so

# start OPTION...: the workload, asleep; its pid is $pid, `tell` talks to it
start() {
	begin_live memusage --start-paused -o report "$@" sh -c 'echo $$ >pid; exec live'
	tell alloc 1 10
	pid=$(cat pid)
}
call() { memusage "--pid=$pid" "$@"; }
# The request is served at the next call. It is of realloc, so that no row of malloc counts it.
wake() {
	call -q "$@"
	status=$?
	tell realloc 1 20
	return $status
}
row() {
	awk -F'|' -v want="$1" '{ gsub(/ /, "", $1) }
		$1 == want { split($2, n, " "); print n[1], n[2] }' report
}

# ---- from the sleep to the end -----------------------------------------------------------

start
tell alloc 99 1000
tell free 10
run call status
like "$out" 'recording: asleep \(`start` begins it\)' 'status says that it is asleep'
like "$out" '0 B live, peak 0 B, 0 B allocated in all, 0 calls' 'and nothing is recorded'
like "$out" '%  blocks from while nothing was recorded; kept by malloc:' 'its memory may be blocks'
run call mark
is "$status" 125 'a mark needs a start'
like "$err" 'asleep, so there is nothing to mark' '... which the message says'
run call stop
is "$status" 0 'stop is no error'
like "$err" 'asleep: nothing is being recorded' '... but says that there is nothing to stop'
run call top
is "$status" 0 'a report of now'
like "$err" "nothing is recorded: it began asleep .*memusage --pid=$pid start" 'says how to begin'
run call live --once
like "$out" 'ASLEEP: memusage --pid=PID start' 'so does the view'
run call detailed_snapshot asleep.out
is "$status,$(field mem_heap_B asleep.out)" 0,0 'a snapshot is of nothing'
run call start
is "$status" 0 'start'
like "$err" 'recording begins with its next call' '... says when it begins, as the process is idle'
run call status
like "$out" 'recording: begins with its next call' '... and so does status'
tell realloc 1 20
run call start
is "$status" 0 'start twice is no error'
like "$err" 'recording is on already' '... and says so'
tell alloc 10 500
tell spike 50 3000
tell realloc 2 70
tell free 20
wake stop
tell alloc 1000 77
tell free 1010
run call stop
like "$err" 'recording is stopped already' 'stop twice, too'
run call status
like "$out" 'recording: stopped' 'status says that it is stopped'
wake start
tell alloc 3 100
wake stop
end
is "$(row malloc)" "63 155300" 'all blocks between start and stop are counted, no others'
# Two of the 20 blocks that were freed are known, because realloc has returned them.
like "$(cat report)" ' 18 frees of blocks from before recording began' \
	'frees of older blocks are counted apart'
like "$(cat report)" ' 3 reallocs of blocks from before recording began, or from a pause' \
	'and reallocs'
like "$(cat report)" 'recorded: [0-9.]* m?s of [0-9.]* m?s, in 2 parts: [0-9.]* m?s to [0-9.]* m?s, ' \
	'the report says which parts of the run are recorded'
like "$(cat report)" 'between these parts [0-9,]* allocations of [0-9.]* .iB are left out' \
	'and what is missing between them'
unlike "$(cat report)" 'unknown\|never seen\|not recorded' 'nothing is an error'

# ---- never started -----------------------------------------------------------------------

run memusage --start-paused --top --record=never.mur live </dev/null
is "$status" 0 'a program that nobody starts'
like "$err" 'nothing was recorded: the program began asleep' 'has an empty report'
like "$err" 'memusage --pid=[0-9]* start' '... which says how to begin'
run memusageprint --top never.mur
like "$err" 'nothing was recorded: it began asleep' 'so does memusageprint'
run memusageprint --to=json never.mur
like "$out" 'nothing was recorded' 'and JSON'
memusage --start-paused -q --html=never.html live </dev/null
like "$(cat never.html)" 'nothing was recorded' 'and the page'

# ---- samples -----------------------------------------------------------------------------

start --sample=64K --record=sampled.mur
run call start --sample=100
like "$status,$err" '125,.*must be auto, or a number of bytes' 'start --sample checks its number'
run call start --top
like "$status,$err" '125,.*start takes --sample\[=BYTES\|auto\] only' 'and takes nothing else'
wake start --sample=1K
tell alloc 2000 100
tell spike 500 100000
run call start --sample=512
is "$status" 125 'samples cannot become denser'
run call start --sample=1K
is "$status" 0 '... but as dense as they are'
tell realloc 1 20
run call status
wake start --sample=4K
memusageprint --to=json sampled.mur >now.json 2>/dev/null
like "$(cat now.json)" '"bytes":4096' 'they can become rarer'
wake stop
tell free 2001
end
memusageprint --to=json sampled.mur >run.json 2>/dev/null
is "$(sed -n 's/.*"now":\([0-9]*\).*/\1/p' run.json | head -1)" 0 'frees are seen after a stop, too'
is "$(row malloc)" '2500 50200000' 'calls and bytes are exact'
start --record=all.mur
run call start --sample
is "$status" 125 'a recording of all blocks does not become one of samples'
like "$err" 'prepared to record all blocks.*start the program with --sample --start-paused' \
	'... and the message says what to do'
end
begin_live memusage --sample -q sh -c 'echo $$ >pid; exec live'
tell alloc 1 10
pid=$(cat pid)
run call start --sample=1M
like "$status,$err" '125,.*for programs that began with --start-paused' 'nor another distance'
end

# ---- what cannot sleep -------------------------------------------------------------------

for other in --pages-as-heap=yes --mode=copy --mode=ad-hoc; do
	run memusage --start-paused $other true
	like "$status,$err" '125,.*--start-paused: cannot be used together' "$other is refused"
done

# ---- forked children, executed programs --------------------------------------------------

rm -f pid
mkfifo go
# shellcheck disable=SC2016
memusage --start-paused -o report sh -c 'echo $$ >pid
	(while read -r x; do eval "v$x=\$(printf %02000d \$x)"; done <go; exit 3) & wait $!' \
	>child.out 2>&1 &
job=$!
exec 5>go
until_true test -s pid
parent=$(cat pid)
echo 1 >&5
child=$(until_prints pids sh "$parent")
until_true sh -c "memusage --pid=$child status >/dev/null"
run memusage --pid="$child" status
like "$out" 'recording: asleep' 'a forked child is asleep'
memusage -q --pid="$child" start
for i in 2 3 4 5 6 7 8 9; do
	echo $i >&5
done
until_true sh -c "memusage --pid=$child status | grep -q 'recording: on'"
run memusage --pid="$child" status
like "$out" 'recording: on' '... and can be started by itself'
run memusage --pid="$parent" status
like "$out" 'recording: asleep' '... while its parent sleeps on'
exec 5>&-
wait $job
is "$?" 3 'the status is the program'\''s'
like "$(cat report)" "process $child sh \(since its fork\): heap total: [1-9]" \
	'the report has the child'

begin_live memusage --start-paused -q sh -c 'echo $$ >pid; exec live'
tell alloc 1 10
pid=$(cat pid)
wake start
tell threads 8
tell alloc 10 1000
# The threads allocate when they run.
until_true sh -c "memusage --pid=$pid status | grep -Eq '^heap: (1[789]|2[0-3])[.]'"
run call status
like "$out" '^heap: (1[789]|2[0-3])\.[0-9]* KiB live' 'an executed program begins asleep, and can be started'
end

# ---- code that cannot be changed -----------------------------------------------------------

for option in '' --sample=1K; do
	# shellcheck disable=SC2086
	begin_live memusage --start-paused -o report $option refuse \
		sh -c 'echo $$ >pid; exec live'
	tell alloc 10 100
	pid=$(cat pid)
	wake start
	tell alloc 10 300
	tell spike 20 300
	wake stop
	tell alloc 5 700
	end
	is "$(row malloc)" '30 9000' "where malloc cannot be made a jump $option"
done

# ---- alone -------------------------------------------------------------------------------

mkdir alone
begin_live env MEMUSAGE_PAUSED=1 MEMUSAGE_DIR="$PWD/alone" LD_PRELOAD="$preload" \
	sh -c 'echo $$ >pid; exec live'
tell alloc 10 100
pid=$(cat pid)
run call status
like "$out" 'recording: asleep' 'MEMUSAGE_PAUSED=1 does it without memusage'
wake start
tell alloc 10 300
wake stop
tell alloc 5 700
end
like "$(sed -n 's/^ malloc| *//p' err)" '^10  *3000 ' 'and what was between start and stop is reported'

# ---- sandboxes ---------------------------------------------------------------------------

for mode in strict filter; do
	for option in '' --sample=1K; do
		rm -f sandbox.out
		mkfifo commands
		# shellcheck disable=SC2086
		memusage --start-paused -o report $option sh -c 'echo $$ >pid; exec sandbox "$@"' sh \
			$mode told <commands >sandbox.out &
		job=$!
		exec 5>commands
		printf x >&5
		until_true test -s sandbox.out
		pid=$(cat pid)
		if grep -q 'no seccomp' sandbox.out; then
			skip "a start in a sandbox: no seccomp ($mode)" 2
			exec 5>&-
			wait $job
			rm -f commands pid
			continue
		fi
		call -q start
		printf xxx >&5
		until_true sh -c 'test $(grep -c truth sandbox.out) = 4'
		call -q stop
		printf xx >&5
		exec 5>&-
		wait $job
		case $? in
		7 | 8) pass "a start in a sandbox: $mode $option" ;;
		*) fail "a start in a sandbox: $mode $option" ;;
		esac
		is "$(row malloc)" '1200 240000' '... records what follows'
		rm -f commands pid sandbox.out
	done
done

# ---- start and stop all the time ---------------------------------------------------------

for option in '' --sample=4K; do
	rm -f pid
	# shellcheck disable=SC2086
	memusage --start-paused -o report --record=hammer.mur $option \
		sh -c 'echo $$ >pid; exec startstop 8 6000 100' >hammer.out 2>hammer.err &
	job=$!
	until_true test -s pid
	pid=$(cat pid)
	sleep 0.2
	rounds=0
	: >clients.err
	while [ -d "/proc/$pid" ] && [ $rounds -lt 1000 ]; do
		rounds=$((rounds + 1))
		if [ $((rounds % 4)) = 0 ]; then
			call -q start 2>>clients.err &
			client=$!
			[ $((rounds % 8)) = 0 ] || sleep 0.005
			kill -9 $client 2>/dev/null
			wait $client 2>/dev/null
		fi
		call -q start >/dev/null 2>>clients.err
		call -q stop >/dev/null 2>>clients.err
	done
	wait $job
	is "$?,$(cat hammer.out hammer.err)" '0,damaged=0 bad_children=0' \
		"8 threads and their children notice nothing $option"
	least=5
	is_sanitized any && least=0 # its programs start late
	num $rounds -gt $least "of starts and stops, some of whose clients are killed ($rounds)"
	# It may end at any moment.
	grep -v 'has ended\|no process\|has no memory\|does not run under memusage\|not recorded (it' \
		clients.err >unexpected
	is "$(cat unexpected)" '' 'all of which are served'
	like "$(cat report)" 'recorded: [0-9.]* m?s of [0-9.]* m?s, in [0-9]* parts' 'many parts'
	memusageprint --to=json hammer.mur >run.json 2>/dev/null
	is "$(sed -n 's/.*"now":\([0-9]*\).*/\1/p' run.json | head -1)" 0 \
		'every block that was recorded is freed in the end'
	unlike "$(cat report)" 'not recorded: [0-9]* blocks' 'no block is lost'
done

done_testing
