#!/bin/sh
# programs.sh -- what call stacks cost on real programs, beside heaptrack and Massif.
#
#	MU_BUILD=... tests/bench/programs.sh [NAME...]
#
# As tests/bench/run: all variants in turn, BENCH_ROUNDS times (3), the smallest figure of each;
# CPU time of all processes that a tool starts. Massif is run once. "stacks" is
# `memusage --record`: all that is recorded is also written. The table on stdout is Markdown:
# CPU against the native run, and how long the program alone takes for each of its events.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
BENCH_ROUNDS=${BENCH_ROUNDS:-3}
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
HEAPTRACK_SECONDS=600

# ratio VARIANT: CPU as a multiple of native's, "-" without figures
ratio() {
	[ -s "figures.$1" ] || { printf ' - |' && return; }
	sort -n "figures.$1" | awk -v native="$(sort -n figures.native | awk '{ print $1; exit }')" '
		$4 != 0 { bad = 1 } NR == 1 { cpu = $1 }
		END { if (bad) printf " failed |"; else printf " %.2fx |", cpu / native }'
}

# between COMMAND...: ns of the program alone from one call of malloc, realloc or free to the next.
between() {
	"$ours" --color=never -o calls "$@" >/dev/null 2>&1
	events=$(awk -F'|' '$1 ~ /^ *(malloc|calloc|realloc|memalign|free)$/ {
		split($2, v, " "); sum += v[1] } END { print sum + 0 }' calls)
	sort -n figures.native | awk -v n="$events" '{ printf " %.0f ns |", n ? $1 * 1000 / n : 0; exit }'
}

# program NAME GOAL COMMAND...: a row of the table
program() {
	name=$1 goal=$2
	shift 2
	case " $wanted " in *" $name "* | '  ') ;; *) return ;; esac
	command -v "$1" >/dev/null || return 0
	rm -f figures.*
	round=0
	while [ $((round += 1)) -le "$ROUNDS" ]; do
		for v in native counting stacks heaptrack; do measure_recording $v "$@"; done
	done
	[ "${BENCH_MASSIF:-1}" = 0 ] || measure_recording massif "$@"
	printf '| %s | %.2f s |' "$name" "$(sort -n figures.native | awk '{ print $1 / 1e6; exit }')"
	between "$@"
	for v in counting stacks heaptrack massif; do ratio $v; done
	printf ' %s |\n' "$goal"
}

. "$MU_SRC/tests/lib/bench_programs.sh"

wanted=$*
printf 'Machine: %s, %s CPUs, Linux %s, %s. %s rounds.\n\n' \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q)" "$(getconf _NPROCESSORS_ONLN)" \
	"$(uname -r)" "$(getconf GNU_LIBC_VERSION)" "$ROUNDS"
printf '| program | native | an event every | counting | stacks | heaptrack | Massif | goal for stacks |\n'
printf '|---|---|---|---|---|---|---|---|\n'
program sqlite-bulk 1.3x sqlite3 :memory: '.read bulk.sql'
program sqlite-statements 1.6x sqlite3 :memory: '.read many.sql'
program cxx-maps 1.5x ./maps
program cc1 1.3x "$cc1" -quiet -O2 big.c -o big.s
program perl-hashes 1.3x perl lists.pl
# Hardly anything but malloc, of blocks that nobody frees.
# shellcheck disable=SC2016  # for perl
program perl-mallocs - perl -e 'for my $i (1 .. 1500000) { push @{$h{$i % 5000}}, "value $i" }'
# Exported: the older tools lose a program that is started by env.
PYTHONMALLOC=malloc
export PYTHONMALLOC
program python-json 1.45x "$python" document.py
# In the CPU's caches, and four times as many events in its time.
program python-messages - "$python" messages.py
# Recursion: hundreds of thousands of stacks, most of them met once.
program python-parse - "$python" parse.py
