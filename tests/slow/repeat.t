#!/bin/sh
# repeat.t -- the tests of the recorder, the launcher and the collector pass every time.
#
# Twenty rounds (MU_REPEAT), as many as fit into 25 minutes; what does not fit is said. One
# failure in all of them is a defect, of the test at least.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
rounds=${MU_REPEAT:-20}
end=$(($(date +%s) + 1500))
set --
for t in "$MU_SRC"/tests/e2e/recorder_*.t "$MU_SRC"/tests/e2e/launcher*.t \
	"$MU_SRC"/tests/e2e/collector_*.t; do
	[ ! -x "$t" ] || set -- "$@" "$t"
done
round=0
while [ $((round += 1)) -le "$rounds" ]; do
	if [ "$(date +%s)" -gt $end ]; then
		skip "no time for more than $((round - 1)) rounds" $((rounds - round + 1))
		break
	fi
	if "$MU_SRC/tests/run" -j 2 "$@" >log 2>&1; then
		pass "round $round"
	else
		fail "round $round" || :
		sed '/^ok /d; s/^/# /' log
	fi
done
diag "$# tests"
done_testing
