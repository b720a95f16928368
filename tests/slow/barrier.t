#!/bin/sh
# barrier.t -- the peak of eight threads that stand at theirs together, 100 times of 100.
#
# Each thread only grows until all have met; so the peak is the sum of what the threads know of
# themselves, and of what libc made for them, but for the bound that the report prints.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin heap
around=20000 # stdio's buffer and the threads' own structures

# peaks TEXT OPTION...
peaks() {
	text=$1 bad=0 seed=0
	shift
	while [ $((seed += 1)) -le 100 ]; do
		memusage -o report "$@" -- heap many "$seed" >out || bad=$((bad + 1))
		truth=$(sed -n 's/^all threads together: //p' out)
		bound=$(sed -n 's/.*heap peak is exact to within \([0-9]*\) bytes.*/\1/p' report)
		peak=$(report_field heap peak)
		[ "$peak" -ge $((truth - ${bound:-0})) ] &&
			[ "$peak" -le $((truth + ${bound:-0} + around)) ] && continue
		bad=$((bad + 1))
		diag "seed $seed: $truth, reported $peak to within ${bound:-nothing}"
	done
	is "$bad" 0 "$text: 100 of 100"
}
peaks 'counting'
peaks 'with a data file' -d data.dat
peaks 'with call stacks' --top
done_testing
