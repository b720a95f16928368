#!/bin/sh
# running_record.t -- a recording that is still being written can be read: it has the processes that
# ended and those that run, says that the run is not over, and believes nothing that others wrote.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint memusagestat live
PATH=$WORKLOADS:$PATH
message="the run is not over \(its collector is process [0-9]+\): this is its state of now"

# ---- one process

begin_live memusage -q --record=run.mur live
tell alloc 10 1000
find_collector
run memusageprint --leaks run.mur
is "$status" 0 'a recording in progress is readable'
like "$err" "^memusageprint: run\.mur: $message" '... and says so'
like "$out" "^process $pid, live, .* while it runs:" '... names the process'
like "$out" '^keep .* 100\.0% of the 9\.77 KiB live now$' '... and has all until now'
size=$(wc -c <run.mur)
tell alloc 10 1000
run memusageprint --to=json --pid="$pid" run.mur
like "$out" '^"heap":.*"now":20000,' 'the next look has what came meanwhile'
like "$(memusageprint --top - <run.mur 2>/dev/null)" '19\.5 KiB live when' 'it may be standard input'
is "$(wc -c <run.mur)" "$size" 'reading changes nothing'
run memusagestat run.mur run.png
like "$status $err" "^0 memusagestat: run\.mur: $message" 'memusagestat draws it'
cp run.mur early.mur
end
run memusageprint --leaks run.mur
is "$status,$err" 0, 'at the end it is complete'
like "$out" '19\.5 KiB live at the end$' '... and says nothing about now'
run memusageprint --leaks early.mur
is "$status" 1 'a copy from before the end'
like "$err" 'collector, process [0-9]+, is gone or does not answer' '... has nobody to ask'
like "$err" 'holds no process' '... and no process'

# ---- a tree of processes

begin_live memusage -q --record=tree.mur sh -c 'exec 8<&0; live </dev/null; live <&8 & wait'
tell alloc 3 500
find_collector
main=$(pids sh "$launcher")
pid=$(pids live "$main")
run memusageprint --leaks --pid="$pid" tree.mur
like "$out" '1\.46 KiB live now$' 'a child that runs'
run memusageprint --top --pid="$main" tree.mur
like "$out" "^process $main, sh -c" 'its parent'
run memusageprint --top tree.mur
like "$out" "^process $main, sh -c" '... which is the first one'
like "$out" 'of memory at most, [0-9.]+ s after the start:$' '... with its timeline'

# ---- processes of another user, whose memory is apart

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	memusage -q --record=users.mur sh -c \
		'setpriv --reuid=64123 --regid=64123 --clear-groups sleep 1000 & wait' &
	run_job=$!
	recorded() { memusageprint --processes users.mur 2>/dev/null | grep -q 'sleep 1000'; }
	ok 'processes of another user are there' until_true recorded
	like "$(memusageprint --processes users.mur 2>/dev/null)" ' sh -c' '... and those of root'
	kill "$(pids sleep "$(pids sh "$run_job")")"
	wait "$run_job"
else
	skip 'needs root and setpriv' 2
fi

# ---- killed, and not of this run

kill -STOP "$launcher"
kill -9 "$collector"
run memusageprint tree.mur
like "$err" 'is gone or does not answer: processes that had not ended by then are missing' \
	'without a collector there is no answer'
is "$status" 0 '... but the processes that had ended are there'
kill -CONT "$launcher"
again() { memusageprint --leaks --pid="$pid" tree.mur 2>/dev/null | grep -q '1\.46 KiB live now'; }
ok 'another collector continues the recording' until_true again
cp tree.mur mine.mur
collector=$(pids memusage-collec "$launcher")
memusage -q --record=other.mur sleep 1000 &
other=$!
until_true test -s other.mur
theirs=$(until_prints pids memusage-collec "$other")
before=$(cksum <mine.mur)
run memusage "--pid=$theirs" add-running mine.mur
is "$status,$out,$err" 125,, 'a collector adds nothing to the recording of another run'
is "$(cksum <mine.mur)" "$before" '... which stays as it is'
run memusage "--pid=$pid" add-running mine.mur
is "$status" 125 'a process is no collector'
run memusage "--pid=$collector" add-running mine.mur
is "$status" 0 'the collector of the run adds its own'
isnt "$(cksum <mine.mur)" "$before" '... processes'
kill "$(pids sleep "$other")"
wait "$other" 2>/dev/null
if [ "$(id -u)" = 0 ]; then
	chown 64123 mine.mur
	run memusageprint --top mine.mur
	like "$err" 'the run of another user is not over, or was killed' 'nothing of another user is believed'
	is "$status" 0 '... but read'
else
	skip 'needs root' 2
fi
end
run memusageprint --leaks --pid="$pid" tree.mur
like "$out" '1\.46 KiB live at the end' 'and the recording is complete in the end'

# ---- a stranger

# A process of the user that has no environment, as a daemon, is none that may still register.
env -i sleep 60 &
bare=$!
until_true grep -q '^sleep' "/proc/$bare/comm"
is "$(wc -c <"/proc/$bare/environ")" 0 'there is a process without an environment'
run memusage -q --record=bare.mur true
run memusageprint --summary bare.mur
unlike "$err" 'the run is not over' '... for which no finished recording waits'
like "$out" 'calls' '... and which has what the program did'
kill "$bare"
wait "$bare" 2>/dev/null

# ---- no room

if mkdir small && mount -t tmpfs -o size=4k tmpfs small 2>/dev/null; then
	head -c 4096 /dev/zero >small/fill
	begin_live memusage -q --record=small/run.mur live
	tell alloc 10 1000
	run memusageprint small/run.mur
	isnt "$status" 0 'on a full disk nothing can be read'
	rm small/fill
	mount -o remount,size=1m small
	end
	like "$(memusageprint --leaks small/run.mur)" '9\.77 KiB live at the end' '... until there is room again'
	umount small
else
	skip 'no tmpfs can be mounted here' 2
fi
done_testing
