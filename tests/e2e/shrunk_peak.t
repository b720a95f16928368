#!/bin/sh
# shrunk_peak.t -- with several threads a place holds its part of the peak, also if a realloc that
# shrinks its block ends the peak.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint shrunk_peak

for option in '' --sample=16K '--massif --massif-out-file=massif' '--dhat --dhat-out-file=dhat'; do
	rm -f run.mur
	# shellcheck disable=SC2086
	run memusage -o report --record=run.mur $option shrunk_peak
	is "$status,$out" 0,1 "${option:-no option}: the program runs as alone"
	run memusageprint --top run.mur
	like "$out" 'allocate_large .*allocated 95\.[0-9]% of the 105 MiB' '... and large() has its part'
	run memusageprint --fail-if='heap peak at allocate_large > 90M' run.mur
	is "$status" 100 '... also for a condition'
done
num "$(sed -n 's/^mem_heap_B=//p' massif | sort -n | tail -n 1)" -ge $((105 << 20)) \
	'the massif.out has the peak'
done_testing
