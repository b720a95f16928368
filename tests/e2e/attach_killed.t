#!/bin/sh
# attach_killed.t -- a process goes on unharmed if the process that stops it is killed before any of its
# steps, at the attach and at the detach; and what that leaves is taken away.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage attached polled entered
need_attach
PATH=$WORKLOADS:$PATH
is_sanitized any && skip_all 'no other library comes before a sanitizer'

# killed N OPTION...: memusage, of which a child is killed; fails if none was
killed() {
	KILLED_AT=$1
	shift
	export KILLED_AT
	! LD_PRELOAD=$WORKLOADS/libkilled_tracer.so memusage "$@" -q 2>killed.err 3>&- &&
		grep -q 'has died' killed.err
}
is_free() { ! grep -hs TracerPid "/proc/$program"/task/*/status | grep -q '[1-9]'; }
is_left() {
	memusage --detach="$program" -q 2>refused 3>&- &&
		! grep -q memfd:memusage "/proc/$program/maps"
}
# at_attach N, at_detach N
at_attach() { killed "$1" --attach="$program" --duration=1ms --record=run.mur; }
at_detach() {
	: >attach.err
	memusage --attach="$program" --record=run.mur 2>attach.err 3>&- &
	attacher=$!
	until_true grep -q 'from now on' attach.err
	# shellcheck disable=SC2046 # several
	kill -9 "$attacher" $(pids memusage-collec "$attacher")
	wait "$attacher" 2>/dev/null
	killed "$1" --detach="$program"
}
# kill_at_steps WHEN: at all steps, or at each of $every; those that nothing is killed at are the last
kill_at_steps() {
	step=$((every > 1 ? $(date +%s) % every + 1 : 1))
	kills=0 unharmed=0
	while "at_$1" "$step" && [ "$step" -lt 2000 ]; do
		kills=$((kills + 1))
		until_true is_free
		until_true is_left && kill -0 "$program" && unharmed=$((unharmed + 1))
		step=$((step + every))
	done
	until_true is_left
}

every=$(attempts 16 1)
for what in 'attached blocks 2' 'attached children' 'attached threads' 'attached signals' \
	polled 'polled stack' 'polled caller' entered; do
	# shellcheck disable=SC2086 # several words
	begin_stranger $what
	# So that its calls are stopped for a second time.
	memusage --attach="$program" --duration=1ms -q --record=run.mur 3>&-
	for when in attach detach; do
		kill_at_steps "$when"
		num "$kills" -ge $((60 / every)) "$what: stopped by one that is killed at its $when"
		is "$unharmed" "$kills" '... what that leaves is taken away' || diag "$(cat refused)"
	done
	end_stranger
	is "$ended" 0 '... it ends as alone' || diag "$(tail -n 5 errors)"
	like "$(tail -n 1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
done
done_testing
