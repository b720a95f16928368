#!/bin/sh
# recorder_threads.t -- threads that come and go in every way lose no event and disturb nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin threads

profiled '1,000 threads, one after the other' -v -- threads churn 1000
used=$(sed -n 's/.*the recorder used \([0-9]*\).*KiB$/\1/p' report)
num "${used:-9999}" -lt 1024 'their records are reused: less than 1 MiB'

profiled 'threads that the kernel still has when they are joined' threads linger 20
like "$(cat report)" '^memusage: 2 threads: ' 'none of them counts when the next one begins'

profiled '1,000 threads at once' threads crowd 1000
truth_peak=$(sed -n 's/^crowd peak=//p' native.out)
num "$(report_field heap peak)" -ge "$truth_peak" 'all of them are in the peak'
num "$(report_field heap peak)" -le $((truth_peak + 1001 * 4000)) 'but not twice'
like "$(cat report)" '1001 threads: heap peak is exact to within [0-9]+ bytes' 'the bound is told'

profiled 'pthread_exit' threads exit 50
profiled 'destructors of thread-specific data that allocate' threads key 50
profiled 'pthread_cancel, deferred' threads cancel 50
profiled 'pthread_cancel, asynchronous' threads cancel-async 50
profiled 'thrd_create' threads c11 50
profiled 'detached threads' threads detach 50
profiled 'blocks freed by other threads' threads cross 4
profiled 'the same with a data file' -d data -- threads cross 4
is "$(report_field malloc bytes)" "$(report_field free bytes)" 'every block was known'

bad=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	memusage -o report -- threads race 8 >out 2>&1 || {
		diag "run $i: status $?, $(cat out)"
		bad=$((bad + 1))
	}
done
is "$bad" 0 'frees after the destructors, by threads that never end, 30 times'
recorded 'frees after the destructors'
done_testing
