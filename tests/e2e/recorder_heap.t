#!/bin/sh
# recorder_heap.t -- heap total and peak are exact for one thread, and within the printed bound
# for several.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin heap

for seed in 1 2 3; do
	profiled "100,000 random operations, seed $seed" heap one "$seed"
done
profiled 'the same with a data file' -d data -- heap one 4

# The peak of eight threads that all stand at theirs; what libc makes for threads is in the
# calloc row's biggest part, so it is taken from there.
runs=$(attempts 20 100)
bad=0 seed=0
while [ "$seed" -lt "$runs" ]; do
	seed=$((seed + 1))
	memusage -o report -- heap many "$seed" >out || bad=$((bad + 1))
	truth_peak=$(sed -n 's/^all threads together: //p' out)
	own=$(report_field heap total)
	bound=$(sed -n 's/.*heap peak is exact to within \([0-9]*\) bytes/\1/p' report)
	off=$((own - $(report_field heap peak)))
	extra=$((own - truth_peak))
	# Nothing is freed before the peak: there it equals heap total.
	if [ "$off" -lt "-$bound" ] || [ "$off" -gt "$bound" ] || [ "$extra" -gt 5000 ]; then
		bad=$((bad + 1))
		diag "seed $seed: off by $off, bound $bound, $extra bytes by libc"
	fi
done
is "$bad" 0 "eight threads at a barrier: within the bound, $runs times"
num "$(report_field heap peak)" -gt 20000000 'recorded'
num "$bound" -le 100000 'and the bound is small'

profiled "the manual page's example" heap manpage
sed -n '/^Histogram/,$p' report | sed 's/ *$//' >histogram
{
	echo 'Histogram for block sizes:'
	for line in '192-207 1 2' '400-415 3 7' '432-447 1 2' '592-607 2 4' '800-815 2 4' \
		'992-1007 2 4' '1040-1055 2 4' '1200-1215 2 4' '1392-1407 2 4' '1600-1615 2 4' \
		'1632-1647 2 4' '1792-1807 2 4' '2000-2015 2 4' '2192-2207 1 2' '2240-2255 2 4' \
		'2832-2847 2 4' '3440-3455 2 4' '4032-4047 2 4' '4640-4655 2 4' '5232-5247 2 4' \
		'5840-5855 2 4' '6432-6447 1 2'; do
		echo "$line"
	done | awk 'NR { split($1, r, "-"); bar = substr("================================" \
		"==================", 1, int($2 * 50 / 3))
		printf "%5d-%-5d%12d %3d%% %s\n", r[1], r[2], $2, $3, bar }'
} >want
same histogram want 'and its histogram'
done_testing
