#!/bin/sh
# attach_away.t -- a process is not harmed by an attacher that stands still for seconds while it has one of
# its threads: no signal is lost, none comes too early, no call ends for nothing, and it goes on in the end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage queued
need_attach
PATH=$WORKLOADS:$PATH
is_sanitized any && skip_all 'no other library comes before a sanitizer'

# away N OPTION...: memusage, whose child stands still before its N-th PTRACE_INTERRUPT
away() {
	AWAY_AT=$1 AWAY_MS=1500
	shift
	export AWAY_AT AWAY_MS
	LD_PRELOAD=$WORKLOADS/libkilled_tracer.so memusage "$@" -q 2>away.err 3>&-
}

# The second one takes the thread back that the recorder has begun in; it has gone home by then.
for what in '' without; do
	# shellcheck disable=SC2086 # none or one
	begin_stranger queued $what
	away 2 --attach="$program" --duration=20ms --record=run.mur
	is "$?" 0 "queued $what: the attacher stands still" || diag "$(cat away.err)"
	end_stranger
	is "$ended" 0 '... it ends as alone'
	like "$(tail -n 1 output)" '^done=[0-9]* bad=0$' '... and nothing was wrong'
done

# ---- for too long --------------------------------------------------------------------------------

begin_stranger queued
AWAY_AT=3 AWAY_MS=60000 LD_PRELOAD=$WORKLOADS/libkilled_tracer.so \
	memusage --attach="$program" -q --record=run.mur 2>away.err 3>&- &
attacher=$!
has_child() { tracer=$(pids memusage "$attacher") && [ "$tracer" ]; }
until_true has_child
kill -STOP "$tracer"
wait "$attacher"
is "$?" 125 'an attacher that SIGSTOP has stopped is ended after a while'
like "$(cat away.err)" 'it would have stood for more than 10 s, so it was let go' '... with the reason'
is "$(sed -n 's/^TracerPid:\t//p' "/proc/$program/status")" 0 '... and the process goes on'
run memusage --detach="$program"
is "$status" 0 '... what was left is taken away' || diag "$err"
end_stranger
like "$(tail -n 1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'

# ---- an impatient user ---------------------------------------------------------------------------

begin_stranger queued
attach "$program" --record=run.mur
# shellcheck disable=SC2046 # several
kill -9 "$attacher" $(pids memusage-collec "$attacher")
wait "$attacher" 2>/dev/null
AWAY_AT=1 AWAY_MS=1000 LD_PRELOAD=$WORKLOADS/libkilled_tracer.so \
	memusage --detach="$program" -q 2>away.err 3>&- &
attacher=$!
until_true has_child
kill -INT "$tracer"
kill -TSTP "$tracer"
wait "$attacher"
is "$?" 0 'Ctrl-C and Ctrl-Z leave the process alone that holds it' || diag "$(cat away.err)"
end_stranger
like "$(tail -n 1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
done_testing
