#!/bin/sh
# sampling.sh -- what --sample costs a pair of malloc and free that is not sampled, beside a preloaded
# library that only passes on.
#
#	MU_BUILD=... tests/bench/sampling.sh
#
# All variants in turn, BENCH_ROUNDS times (5), the smallest figure of each. Markdown on stdout.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

PAIRS=2000000
PASS_ON=$MU_BUILD/tests/workloads/libpass_on.so

pairs() { # VARIANT COMMAND...
	variant=$1
	shift
	"$@" "$BENCH/pairs" $PAIRS >>"pairs.$variant"
}

least() { # VARIANT COLUMN
	sort -n -k "$2,$2" "pairs.$1" | awk -v c="$2" '{ print $c; exit 0 }'
}

round=0
while [ $((round += 1)) -le "$ROUNDS" ]; do
	pairs native env
	pairs passing env LD_PRELOAD="$PASS_ON"
	pairs sampled "$ours" -q --sample
	pairs counted "$ours" -q
	pairs stacks "$ours" -q --record=kept.mur
done
printf 'CPU time of a pair of malloc and free, ns, %s rounds of 15 times %s pairs.\n\n' \
	"$ROUNDS" "$PAIRS"
printf '| | the same block | among 64 blocks |\n|---|---|---|\n'
row() { # TEXT VARIANT
	printf '| %s | %s | %s |\n' "$1" "$(least "$2" 1)" "$(least "$2" 2)"
}
row 'alone' native
row 'a preloaded library that passes on' passing
row 'memusage --sample' sampled
row 'memusage (all blocks, counting)' counted
row 'memusage --record (all blocks, call stacks)' stacks
