#!/bin/sh
# attach_away.t -- a process is not harmed by an attacher that stands still for seconds while it has one of
# its threads: no signal is lost, none comes too early, and no call ends for nothing.
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
done_testing
