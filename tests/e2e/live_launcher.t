#!/bin/sh
# live_launcher.t -- The process ID of memusage stands for its program, at once, also while the collector
# of another run of the user is stopped.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/serve.sh"
need_bin memusage live
PATH=$WORKLOADS:$PATH

memusage -q -o /dev/null sleep 600 2>/dev/null &
other=$!
has_program_and_collector() {
	other_collector=$(pids memusage-collec "$other") other_program=$(pids sleep "$other")
	[ -n "$other_collector" ] && [ -n "$other_program" ]
}
until_true has_program_and_collector
# Whatever happens here, the other run must be able to end.
trap 'kill -CONT "$other_collector"; kill "$other_program"' EXIT
trap 'exit 1' HUP INT TERM

begin_live memusage -q --record=run.mur live
tell alloc 10 1000
find_collector
kill -STOP "$other_collector"

# soon COMMAND...: runs it; it has half of the time that it would wait for the stopped collector
soon() { run timeout 5 "$@"; }
soon memusage "--pid=$launcher" status
is "$status" 0 'the launcher is asked: an answer comes soon'
like "$out" '^heap: 9\.77 KiB live, .*, 10 calls' '... which is about its program'
like "$out" "^process $pid live" '... and says so'
soon memusage "--pid=$pid" status
is "$status" 0 'so it is with its program'
if has_program memusageserve; then
	from=$(date +%s)
	begin_serve "--pid=$launcher" --serve=127.0.0.1:0
	num $(($(date +%s) - from)) -lt 9 'memusageserve finds the run by its launcher, as soon'
	get /metrics -m 5
	is "$status" 200 '... and serves it'
	end_serve
else
	skip 'this build has no memusageserve' 2
fi
kill -STOP "$collector"
run timeout 60 memusage "--pid=$launcher" status
kill -CONT "$collector"
if [ "$status" = 0 ]; then
	like "$out" '^heap: ' 'its own collector is stopped: root can look at the recording'
else
	like "$err" "process $pid: its collector did not answer for 10 seconds" \
		'its own collector is stopped: that is said'
fi
kill -CONT "$other_collector"
end

# ---- what a memusage has launched may be a memusage

begin_live memusage -q -o /dev/null memusage -q -o /dev/null live
tell alloc 10 1000
inner=$(pids memusage "$job")
pid=$(pids live "$inner")
run memusage "--pid=$inner" status
is "$status" 0 'the inner one'
like "$out" '^heap: 9\.77 KiB live, .*, 10 calls' '... stands for its program'
run memusage "--pid=$job" status
is "$status" 0 'the outer one'
unlike "$out" '^heap: 9\.77 KiB live, .*, 10 calls' '... stands for the inner one'
end

done_testing
