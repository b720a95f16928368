#!/bin/sh
# examined.t -- examiners of a busy process are killed at 200 random moments: no thread stays stopped
# or traced, nothing is computed wrongly, and the process ends as alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint examined
need mkfifo awk
need_tracing
PATH=$WORKLOADS:$PATH
KILLS=${EXAMINER_KILLS:-200}

mkfifo input
memusage -q --record=run.mur examined <input >output 2>errors &
launcher=$!
exec 3>input
until_true grep -q ready output
program=$(pids examined "$launcher" | head -1)
is_free() {
	! cat "/proc/$program/task"/*/status |
		grep -qE '^State:[[:space:]]*[tT]|^TracerPid:[[:space:]]*[1-9]'
}

# Delays: half of them over the time that an examination takes here, half over its beginning.
took=60000
for _ in 1 2 3; do
	start=$(date +%s%N)
	memusage --pid="$program" leak_check summary >first.log 2>&1
	now=$((($(date +%s%N) - start) / 1000000))
	[ "$now" -ge "$took" ] || took=$now
done
diag "an examination takes $took ms"
killed=0 round=0 kept=0
awk -v n="$KILLS" -v took="$took" 'BEGIN {
	srand(11)
	for (i = 0; i < n; i++)
		printf "%.4f\n", rand() * (i % 2 ? took : took / 4) / 1000 }' >delays
while read -r delay; do
	case $((round % 4)) in
	0) set -- --snapshot=fork --pid="$program" leak_check summary ;;
	1) set -- --snapshot=stop --pid="$program" leak_check summary ;;
	2) set -- --snapshot=fork --pid="$program" holders ;;
	3) set -- --snapshot=stop --pid="$program" holders ;;
	esac
	round=$((round + 1))
	memusage "$@" >log 2>&1 &
	client=$!
	sleep "$delay"
	for examiner in $(pids memusage "$client") "$client"; do
		kill -9 "$examiner" 2>/dev/null && killed=$((killed + 1))
	done
	wait "$client" 2>/dev/null
	until_true is_free || kept=$((kept + 1))
done <delays
is "$round" "$KILLS" "$KILLS examinations have begun"
num "$killed" -gt $((KILLS / 8)) "clients and examiners were killed: $killed"
is "$kept" 0 'none left a thread stopped or traced'
ok 'the process can be examined again' memusage --pid="$program" leak_check summary
exec 3>&-
wait "$launcher"
is $? 0 'the process ends as alone'
like "$(tail -1 output)" '^interrupted=[0-9]+ wrong=0 children=0 signals=0$' '... and is unharmed'
diag "$(tail -1 output)"
# A call that had been ended in the moment of the kill is not made again; nothing else is said.
is "$(grep -v ': interrupted$' errors)" '' '... nor said anything else'
done_testing
