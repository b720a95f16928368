#!/bin/sh
# attached.sh -- what a pair of malloc and free costs in a process that memusage has attached to,
# beside one that it has started.
#
#	MU_BUILD=... tests/bench/attached.sh
#
# Two threads, since an attached recorder always takes the program for one with threads. All
# variants in turn, BENCH_ROUNDS times (5), the smallest figure of each. Markdown on stdout.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

THREADS=2 PAIRS=1000000 LAPS=3

# laps COMMAND...: runs it with some laps
laps() { printf '%0*d' "$LAPS" 0 | "$@" "$BENCH/laps" "$THREADS" "$PAIRS"; }

# attached FILE OPTION...: the same of a process that runs already; then of the process alone again
attached() {
	to=$1
	shift
	rm -f laps.in && mkfifo laps.in
	"$BENCH/laps" "$THREADS" "$PAIRS" <laps.in >laps.out &
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

round=0
while [ $((round += 1)) -le "$ROUNDS" ]; do
	laps env >>native
	laps "$ours" -q >>counted
	attached counted.attached
	laps "$ours" -q --record=kept.mur >>stacks
	attached stacks.attached --record=attached.mur
done
printf '| a pair of malloc and free | started | attached | ratio | goal |\n|---|---|---|---|---|\n'
row counted '< 1.3' counted counted.attached
row 'with call stacks' '< 1.3' stacks stacks.attached
row 'alone, and after it was left' '< 1.02' native stacks.attached.afterwards
