#!/bin/sh
# sample.t -- Estimates of 20 places in 200 sampled runs are without bias, and 95 % intervals contain
# the truth in 93 to 97 % of all cases.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/sampling.sh"
need_bin memusage sampled
need python3

ok '200 runs' estimate_runs runs 200 16K
estimates runs 200
num "$worst" -lt 4 'each mean is within 4 standard errors of the truth'
num "$covered" -ge 93 'the intervals are wide enough'
num "$covered" -le 97 'and not too wide'
num "$rarely" -ge 93 'those of places that are seldom seen are wide enough'

MEMUSAGE_SAMPLE_LIMIT=60
export MEMUSAGE_SAMPLE_LIMIT
ok '200 runs in which samples are given up' estimate_runs thinned 200 auto
estimates thinned 200
num "$worst" -lt 5 'each mean is near the truth'
num "$rarely" -ge 93 'the intervals are wide enough'

# A snapshot from between the first doubling of the distance and the last.
report_options=--growth=start..mark:early
ok '200 runs with a snapshot before samples are given up again' estimate_runs early 200 auto \
	early "memusage -q --pid=\$PID mark early 2>early.err"
is "$(grep -l '"thinned":[1-9]' early/*.json | wc -l)" 200 '... as they are'
estimates early 200 growth
num "$worst" -lt 5 'each mean is near the truth at that moment'
num "$rarely" -ge 93 'and the intervals are wide enough'
done_testing
