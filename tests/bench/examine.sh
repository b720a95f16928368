#!/bin/sh
# examine.sh -- what a leak check and --holders cost for very many blocks: CPU time and memory of
# the examining process, and for how long the examined one stands still.
#
#	MU_BUILD=... tests/bench/examine.sh [BLOCKS BYTES]...
#
# Without arguments: 10,000,000 blocks of 96 bytes, and 1,000,000 of 96 and of 1,000, each with two
# pointers to near blocks or to any ones. 10,000,000 take 3 GB. CPU time is the least of
# BENCH_ROUNDS (5); all pauses are listed.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

# least COLUMN FILE: its smallest number
least() {
	awk -v c="$1" 'NR == 1 || $c < m { m = $c } END { printf "%d\n", m }' "$2"
}
# row NAME KIND COMMAND...: what a command of --pid costs
row() {
	name=$1 kind=$2
	shift 2
	: >figures
	for _ in $(seq "$ROUNDS"); do
		"$BENCH/measure" "$ours" --snapshot="$kind" --pid="$launcher" "$@" >>figures
	done
	awk -v name="$name" -v kind="$kind" -v us="$(least 1 figures)" -v kb="$(least 3 figures)" \
		-v blocks="$blocks" 'BEGIN {
			printf "| %s, %s | %.2f s |", name, kind, us / 1e6
			printf " %.0f MB, %.0f B a block |\n", kb / 1024, 1024 * kb / blocks }'
}
# pauses KIND: for how long the process stands still, in ms, least first
pauses() {
	for _ in $(seq "$ROUNDS"); do
		"$ours" -v --snapshot="$1" --pid="$launcher" leak_check summary 2>&1 >/dev/null |
			awk '/stood still for/ {
				print $(NF - 1) * ($NF == "s" ? 1000 : $NF == "ms" ? 1 : 1e-3) }'
	done | sort -n
}
# measure_graph BLOCKS BYTES [random]
measure_graph() {
	blocks=$1
	rm -f input ready
	mkfifo input
	"$ours" -q -o report --top "$BENCH/linked" "$@" <input >ready 2>/dev/null &
	launcher=$!
	exec 3>input
	until grep -q ready ready 2>/dev/null; do sleep 0.1; done
	resident=$(awk '/^VmRSS/ { print int($2 / 1024) }' \
		"/proc/$("$MU_SRC/tests/lib/pids" linked "$launcher")/status")
	printf '\n%s blocks of %s bytes, pointers %s; %s MB resident\n\n' "$blocks" "$2" \
		"${3:-near}" "$resident"
	printf '| command | CPU time | memory of the examiner |\n|---|---|---|\n'
	for kind in fork stop; do
		row leak_check "$kind" leak_check summary
		row holders "$kind" holders
	done
	for kind in fork stop; do
		printf 'stands still, %s (ms): %s\n' "$kind" "$(pauses "$kind" | tr '\n' ' ')"
	done
	exec 3>&-
	wait "$launcher"
}

[ $# -gt 0 ] || set -- 1000000 96 1000000 1000 10000000 96
while [ $# -gt 1 ]; do
	measure_graph "$1" "$2"
	measure_graph "$1" "$2" random
	shift 2
done
