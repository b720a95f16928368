#!/bin/sh
# sample_cost.t -- How many instructions --sample and --start-paused add to a pair of malloc and free
# that is not recorded, and how much of the cache --sample takes: neither depends on what else the
# machine does.
#
# Valgrind counts them. An entry leads straight to libc: a function or a pointer more on the way is
# seen here.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage malloc_pairs
need valgrind
[ "$(uname -m)" = x86_64 ] || skip_all 'only x86-64 has functions made for this'

# count COMMAND...: what it executes in a pair, instructions
count() {
	for pairs in 1000 11000; do
		"$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$WORKLOADS/malloc_pairs" $pairs 2>&1 | sed -n 's/.*Collected : //p'
	done | awk '{ n[NR] = $1 } END { printf "%.0f\n", (n[2] - n[1]) / 10000 }'
}
alone=$(count env)
num "$alone" -gt 20 'a pair of malloc and free alone'
sampled=$(count memusage -q --sample=256M)
asleep=$(count memusage -q --start-paused)
num $((sampled - alone)) -gt 20 "--sample counts a pair: $sampled instructions instead of $alone"
num $((sampled - alone)) -le 28 '... by 28 at most'
num $((asleep - alone)) -gt 5 "--start-paused looks whether it is awake: $asleep"
num $((asleep - alone)) -le 14 '... by 14 at most'

# misses COMMAND...: of a cache of 32 KiB, in 100,000 pairs among 20,000 live blocks
misses() {
	"$@" valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --cachegrind-out-file=/dev/null \
		"$WORKLOADS/malloc_pairs" 100000 20000 2>&1 | sed -n 's/.*D1  misses: *\([0-9,]*\).*/\1/p' | tr -d ,
}
alone=$(misses env)
sampled=$(misses memusage -q --sample=256M)
num "$alone" -gt 100000 "a heap beyond the cache: $alone misses in 100,000 pairs alone"
num $((sampled - alone)) -le 25000 "... --sample adds few: $sampled"
done_testing
