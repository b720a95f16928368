#!/bin/sh
# attach_truth.t -- all counters are exact between an attach and its detach, while threads come and go.
#
# MU_ROUNDS (4) is how often.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage attached_truth
need mkfifo
need_attach
rounds=${MU_ROUNDS:-4}

begin_rounds attached_truth
exact=0
for round in $(seq 1 "$rounds"); do
	rm -f report
	attach "$program" -o report
	take_round output
	detach
	(truths "round $round" output report) >verdicts
	if [ "$status" = 0 ] && [ "$(grep -c '^ok' verdicts)" = 9 ] && ! grep -q '^not ok' verdicts &&
		grep -q ' 12 frees of blocks from before recording began' report; then
		exact=$((exact + 1))
	else
		diag "status $status; $(cat output verdicts attach.err; sed -n "1,8p; /^memusage:/p" report)"
	fi
done
is "$exact" "$rounds" "all counters are exact in $rounds rounds of $rounds"
ended=0
exec 3>&-
wait "$program" || ended=$?
is "$ended" 0 'the program ends as alone'
done_testing
