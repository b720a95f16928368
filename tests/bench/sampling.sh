#!/bin/sh
# sampling.sh -- what --sample costs a pair of malloc and free that is not sampled, and --start-paused
# one that is not recorded, beside a preloaded library that only passes on; and real programs, beside
# jemalloc's and gperftools' heap profilers.
#
#	MU_BUILD=... tests/bench/sampling.sh [pairs | starts | NAME]...
#
# Pairs: all variants in turn, BENCH_ROUNDS times (5), the smallest figure of each. Programs: each
# variant runs beside the program alone, on one CPU, whose scheduler gives both a slice in turn. So both
# meet the same machine, and the ratio of their CPU times does not depend on what else that does, to
# 0.01 in ten rounds (two native runs: 0.998 to 1.006). Printed are the median of the rounds, and between
# which two of them the true one lies with 95 % (binomial).
# Each program does its work BENCH_LAPS times (6) in a run, so that the start of memusage and the saving
# of the recording are a small part; what they take is in a line of its own, from runs of `true`.
# sample: with the CPU time of memusage and its collector; own: that of the program under it.
# passing: a preloaded library that only passes calls on, which no preloaded profiler can undercut.
# gperftools' heap profiler, which records all blocks, is run once; BENCH_HEAPPROFILE=0 leaves it out.
# BENCH_VARIANTS="sample jemalloc-128K" runs only these; `again` is a native run, which shows the noise.
# BENCH_OF=wall runs one after the other on all CPUs and compares wall times; only a machine that does
# nothing else can tell them.
# Markdown on stdout.
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

# told VARIANT COMMANDS OPTION...: a program that began asleep, after these commands
told() {
	variant=$1 commands=$2
	shift 2
	rm -f pid commands && mkfifo commands
	# shellcheck disable=SC2016
	"$ours" -q --start-paused "$@" sh -c 'echo $$ >pid; exec "$0" "$@"' \
		"$BENCH/pairs" $PAIRS wait <commands >>"pairs.$variant" &
	exec 3>commands
	while ! "$ours" --pid="$(cat pid 2>/dev/null || echo 1)" status >/dev/null 2>&1; do
		sleep 0.1
	done
	for command in $commands; do
		"$ours" -q --pid="$(cat pid)" "$command"
		sleep 0.05
	done
	exec 3>&-
	wait $!
}

least() { # VARIANT COLUMN
	sort -n -k "$2,$2" "pairs.$1" | awk -v c="$2" '{ print $c; exit 0 }'
}

wanted=$*
is_wanted() {
	case " $wanted " in *" $1 "* | '  ') ;; *) return 1 ;; esac
}

# ---- pairs of malloc and free ---------------------------------------------------------------

bench_pairs() {
	round=0
	while [ $((round += 1)) -le "$ROUNDS" ]; do
		pairs native env
		pairs passing env LD_PRELOAD="$PASS_ON"
		pairs sampled "$ours" -q --sample
		pairs asleep "$ours" -q --start-paused
		told started start --sample
		told stopped 'start stop' --sample
		told started_all start
		told stopped_all 'start stop'
		pairs counted "$ours" -q
		pairs stacks "$ours" -q --record=kept.mur
	done
	printf 'CPU time of a pair of malloc and free, ns, %s rounds of 15 times %s pairs.\n\n' \
		"$ROUNDS" "$PAIRS"
	printf '| | the same block | among 64 blocks |\n|---|---|---|\n'
	row 'alone' native
	row 'a preloaded library that passes on' passing
	row 'memusage --sample' sampled
	row 'memusage --start-paused, asleep' asleep
	row 'the same with --sample, after `start`' started
	row '... and after `stop`' stopped
	row 'memusage --start-paused, after `start` (all blocks, call stacks)' started_all
	row '... and after `stop`' stopped_all
	row 'memusage (all blocks, counting)' counted
	row 'memusage --record (all blocks, call stacks)' stacks
}

row() { # TEXT VARIANT
	printf '| %s | %s | %s |\n' "$1" "$(least "$2" 1)" "$(least "$2" 2)"
}

! is_wanted pairs || bench_pairs

# ---- real programs --------------------------------------------------------------------------

# shellcheck disable=SC2034  # for the next line
laps=${BENCH_LAPS:-6}
. "$MU_SRC/tests/lib/bench_programs.sh"

# The allocators of the peers have costs of their own, so they are run without profiling, too.
find_library() {
	for at in /usr/lib/*/"$1" /usr/lib/"$1" /usr/lib64/"$1"; do
		[ ! -e "$at" ] || echo "$at"
	done | head -n 1
}
jemalloc=$(find_library libjemalloc.so.2)
tcmalloc=$(find_library libtcmalloc.so.4)
# Without prof in it, jemalloc only warns.
[ -z "$jemalloc" ] || ! MALLOC_CONF=prof:true LD_PRELOAD=$jemalloc true 2>&1 | grep -q Invalid ||
	jemalloc=
jeprof=prof:true,prof_final:true,prof_prefix:$TMP/jeprof
heapprofile=HEAPPROFILE=$TMP/tcprof

variants=${BENCH_VARIANTS:-passing sample own jemalloc jemalloc-128K jemalloc-512K tcmalloc}

of=${BENCH_OF:-CPU}
cpu=$(($(getconf _NPROCESSORS_ONLN) - 1))
pinned="taskset -c $cpu" column=1
[ "$of" != wall ] || pinned='' column=2
# shellcheck disable=SC2086  # words, or none
on_one_cpu() { $pinned "$BENCH/measure" "$@"; }

# measure_variant VARIANT COMMAND...
measure_variant() {
	variant=$1
	shift
	case $variant in
	own)
		: >own.figures
		# shellcheck disable=SC2086
		$pinned "$ours" -q --sample --record=kept.mur \
			"$BENCH/measure" -o own.figures "$@" >/dev/null 2>&1
		cat own.figures
		return
		;;
	passing) set -- env LD_PRELOAD="$PASS_ON" "$@" ;;
	sample) set -- "$ours" -q --sample --record=kept.mur "$@" ;;
	jemalloc) set -- env LD_PRELOAD="$jemalloc" "$@" ;;
	jemalloc-128K) set -- env LD_PRELOAD="$jemalloc" MALLOC_CONF="$jeprof,lg_prof_sample:17" "$@" ;;
	jemalloc-512K) set -- env LD_PRELOAD="$jemalloc" MALLOC_CONF="$jeprof" "$@" ;;
	tcmalloc) set -- env LD_PRELOAD="$tcmalloc" "$@" ;;
	tcmalloc-heap) set -- env LD_PRELOAD="$tcmalloc" "$heapprofile" "$@" ;;
	esac
	on_one_cpu "$@"
}

has_variant() { # VARIANT
	case $1 in
	jemalloc*) [ -n "$jemalloc" ] ;;
	tcmalloc*) [ -n "$tcmalloc" ] ;;
	esac
}

# measure_beside ROUND VARIANT COMMAND...: adds a line to the variant's figures: its own, and those of
# the program alone. Which of them begins first goes by turns.
measure_beside() {
	round=$1 variant=$2
	shift 2
	has_variant "$variant" || return 0
	if [ "$of" = wall ] && [ $((round % 2)) -eq 0 ]; then
		on_one_cpu "$@" >native.line
		measure_variant "$variant" "$@" >variant.line
	elif [ "$of" = wall ]; then
		measure_variant "$variant" "$@" >variant.line
		on_one_cpu "$@" >native.line
	elif [ $((round % 2)) -eq 0 ]; then
		on_one_cpu "$@" >native.line &
		measure_variant "$variant" "$@" >variant.line
	else
		measure_variant "$variant" "$@" >variant.line &
		on_one_cpu "$@" >native.line
	fi
	wait
	paste variant.line native.line >>"figures.$variant"
	rm -f kept.mur jeprof* tcprof*
}

# ratios VARIANT: the median of the rounds, and its interval.
ratios() {
	[ -s "figures.$1" ] || { printf ' - |' && return; }
	awk -v column="$column" '
		{ if (NF < 8 || $4 != 0 || $8 != 0) bad = 1; else ratio[++n] = $column / $(column + 4) }
		END {
			for (i = 1; i <= n; i++)
				for (k = i + 1; k <= n; k++)
					if (ratio[k] < ratio[i]) {
						t = ratio[i]; ratio[i] = ratio[k]; ratio[k] = t
					}
			half = 0.98 * sqrt(n); low = int(n / 2 - half); high = int(n / 2 + half) + 1
			if (low < 1) low = 1
			if (high > n) high = n
			if (bad) printf " failed |"
			else printf " %.3f (%.3f to %.3f) |", ratio[int((n + 1) / 2)], ratio[low],
				ratio[high] }' "figures.$1"
}

# program NAME COMMAND...: a row of the table
program() {
	name=$1
	shift
	is_wanted "$name" && command -v "$1" >/dev/null || return 0
	rm -f figures.*
	beside=0
	while [ $((beside += 1)) -le "$ROUNDS" ]; do
		for v in $variants; do measure_beside "$beside" "$v" "$@"; done
	done
	# It records all blocks: minutes for a program of a second.
	[ "${BENCH_HEAPPROFILE:-1}" = 0 ] || measure_beside 1 tcmalloc-heap "$@"
	printf '| %s | %s |' "$name" "$(cut -f 2 figures.* | sort -n | awk '{ printf "%.2f s", $1 / 1e6; exit }')"
	for v in sample own passing again jemalloc jemalloc-128K jemalloc-512K tcmalloc tcmalloc-heap; do
		ratios $v
	done
	printf '\n'
}

printf '\nMachine: %s, %s CPUs, load %s. %s rounds.\n' \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q)" "$(getconf _NPROCESSORS_ONLN)" \
	"$(cut -d' ' -f1 /proc/loadavg)" "$ROUNDS"
printf '%s time as a multiple of native, beside a native run: median (95 %% interval).\n\n' "$of"
printf '| program | native | --sample | own | passing | again | '
printf 'jemalloc | prof 128K | prof 512K | tcmalloc | HEAPPROFILE |\n'
printf '|---|---|---|---|---|---|---|---|---|---|---|\n'
program sqlite-bulk sqlite3 :memory: '.read bulk.sql'
program sqlite-statements sqlite3 :memory: '.read many.sql'
program cc1 "$cc1" -quiet -O2 big.c -o big.s
program perl-hashes perl lists.pl
PYTHONMALLOC=malloc
export PYTHONMALLOC
program python-json "$python" document.py
program python-messages "$python" messages.py
program python-parse "$python" parse.py

# middle COLUMN: the median of a column of the figures on standard input, in ms
middle() {
	sort -n -k "$1,$1" | awk -v c="$1" '{ all[NR] = $c } END { printf "%.1f", all[int((NR + 1) / 2)] / 1000 }'
}

# On all CPUs: the collector runs beside the program.
bench_starts() {
	rm -f figures.*
	for _ in $(seq 20); do
		measure alone true
		measure sample "$ours" -q --sample --record=kept.mur true
	done
	printf '\nA run of `true`, ms of CPU time / of wall time, median of 20: alone %s / %s,' \
		"$(middle 1 <figures.alone)" "$(middle 2 <figures.alone)"
	printf ' with --sample --record %s / %s\n' \
		"$(middle 1 <figures.sample)" "$(middle 2 <figures.sample)"
}
! is_wanted starts || bench_starts
