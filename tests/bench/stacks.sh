#!/bin/sh
# stacks.sh -- what the call stack of every event costs, in time and memory.
#
#	MU_BUILD=... tests/bench/stacks.sh
#
# As tests/bench/run: all variants in turn, BENCH_ROUNDS times (5), the smallest figure of each;
# CPU time of all processes that a tool starts. Massif and heaptrack take a tenth of the events.
# Memory is the growth of the resident set against the program alone. Markdown on stdout.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

# least VARIANT COLUMN: the smallest figure of a column (1 CPU us, 3 RSS KB)
least() {
	[ -s "figures.$1" ] && sort -n -k "$2,$2" "figures.$1" |
		awk -v c="$2" '$4 != 0 { exit 1 } { print $c; exit 0 }'
}

# added TOOL NATIVE EVENTS: CPU per event as text
added() {
	t=$(least "$1" 1) && n=$(least "$2" 1) && [ -n "$t" ] &&
		awk "BEGIN { printf \" %.1f ns |\", ($t - $n) * 1000 / $3 }" || printf ' - |'
}

# events TEXT GOAL PROGRAM ARGUMENT EVENTS
events() {
	text=$1 goal=$2 program=$3 argument=$4 events=$5
	rm -f figures.*
	round=0
	while [ $((round += 1)) -le "$ROUNDS" ]; do
		measure_recording native "$program" "$argument" "$events"
		measure_recording stacks "$program" "$argument" "$events"
		measure_recording few "$program" "$argument" $((events / 10))
		measure_recording heaptrack "$program" "$argument" $((events / 10))
	done
	measure_recording massif "$program" "$argument" $((events / 10))
	printf '| %s |' "$text"
	added heaptrack few $((events / 10))
	added massif few $((events / 10))
	added stacks native "$events"
	printf ' %s |\n' "$goal"
}

# memory TEXT GOAL BLOCKS SMALLEST LARGEST: twice as many blocks against BLOCKS of them
memory() {
	rm -f figures.*
	measure_recording native "$BENCH/fill" "$3" "$4" "$5"
	measure_recording stacks "$BENCH/fill" "$3" "$4" "$5"
	native=$(least native 3) tool=$(least stacks 3)
	rm -f figures.*
	measure_recording native "$BENCH/fill" $(($3 * 2)) "$4" "$5"
	measure_recording stacks "$BENCH/fill" $(($3 * 2)) "$4" "$5"
	awk "BEGIN { printf \"| %s | %.1f B | %s |\\n\", \"$1\", \
		($(least stacks 3) - $tool - $(least native 3) + $native) * 1024 / $3, \"$2\" }"
}

printf 'Call stacks, CPU added per event, %s rounds; real depth counts up to _start.\n\n' "$ROUNDS"
printf '| measure | heaptrack | Massif | memusage --record | goal |\n|---|---|---|---|---|\n'
events 'real depth 7' '28 ns' "$BENCH/deep" 4 10000000
events 'real depth 13' '32 ns' "$BENCH/deep" 10 10000000
events 'real depth 33' '40 ns' "$BENCH/deep" 30 10000000
events '1 thread' '' "$BENCH/tight" 1 10000000
events '2 threads' "1.2x of one thread's" "$BENCH/tight" 2 10000000
events '8 threads' "1.3x of one thread's" "$BENCH/tight" 8 10000000
printf '\n| memory with call stacks | memusage | goal |\n|---|---|---|\n'
memory 'per live block of 17 to 64 bytes' '24 B' 2000000 17 64
# Each of these has a page of its own, which takes the kernel's time: 4 million took two minutes.
memory 'per live block of 1 to 20 kB' '96 B' 250000 1000 20000
rm -f figures.*
measure_recording native "$BENCH/fill" 1 16 16
measure_recording stacks "$BENCH/fill" 1 16 16
printf '| fixed, per process | %s KiB | 6 MB |\n' $(($(least stacks 3) - $(least native 3)))
