#!/bin/sh
# attached.sh -- what malloc and its family cost in a process that memusage has attached to,
# beside one that it has started.
#
#	MU_BUILD=... tests/bench/attached.sh
#
# With one thread, for which a recorder takes no locks, and with two; then of other functions. All
# variants in turn, BENCH_ROUNDS times (5), the smallest figure of each. Markdown on stdout.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

PAIRS=1000000 LAPS=3
# THREADS and FUNCTION are those of the rows.

# laps COMMAND...: runs it with some laps
laps() { printf '%0*d' "$LAPS" 0 | "$@" "$BENCH/laps" "$THREADS" "$PAIRS" "$FUNCTION"; }

# attached FILE OPTION...: the same of a process that runs already; then of the process alone again
attached() {
	to=$1
	shift
	rm -f laps.in && mkfifo laps.in
	"$BENCH/laps" "$THREADS" "$PAIRS" "$FUNCTION" <laps.in >laps.out &
	program=$!
	exec 3>laps.in
	: >said
	"$ours" --attach="$program" -o report "$@" 2>said 3>&- &
	attacher=$!
	until grep -q 'from now on' said; do sleep 0.1; done
	printf '%0*d' "$LAPS" 0 >&3
	until [ "$(wc -l <laps.out)" -eq "$LAPS" ]; do sleep 0.1; done
	kill -INT "$attacher"
	wait "$attacher"
	cat laps.out >>"$to"
	: >laps.out
	printf '%0*d' "$LAPS" 0 >&3
	exec 3>&-
	wait "$program"
	tail -n "$LAPS" laps.out >>"$to.afterwards"
}
least() { sort -n "$1" | sed -n 1p; }
row() { # TEXT GOAL STARTED ATTACHED
	awk -v text="$1" -v goal="$2" -v a="$(least "$3")" -v b="$(least "$4")" \
		'BEGIN { printf "| %s | %.1f ns | %.1f ns | %.2f | %s |\n", text, a, b, b / a, goal }'
}

# take_turn KEY: all variants once
take_turn() {
	laps env >>"$1.native"
	laps "$ours" -q >>"$1.counted"
	attached "$1.counted.attached"
	laps "$ours" -q --record=kept.mur >>"$1.stacks"
	attached "$1.stacks.attached" --record=attached.mur
}
# rows KEY TEXT
rows() {
	row "$2" '< 1.3' "$1.counted" "$1.counted.attached"
	row "$2, call stacks" '< 1.3' "$1.stacks" "$1.stacks.attached"
}

round=0
while [ $((round += 1)) -le "$ROUNDS" ]; do
	for THREADS in 1 2; do
		for FUNCTION in ${BENCH_FUNCTIONS:-malloc calloc realloc memalign}; do
			take_turn "$THREADS.$FUNCTION"
		done
	done
done
printf '| a pair of malloc and free | started | attached | ratio | goal |\n|---|---|---|---|---|\n'
for THREADS in 1 2; do
	for FUNCTION in ${BENCH_FUNCTIONS:-malloc calloc realloc memalign}; do
		rows "$THREADS.$FUNCTION" "$FUNCTION, $THREADS thread(s)"
	done
done
row 'alone, and after it was left' '< 1.02' 2.malloc.native 2.malloc.stacks.attached.afterwards
