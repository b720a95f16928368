#!/bin/sh
# zoo.t -- thousands of random programs do under memusage, in every mode, what they do alone.
#
# MU_ZOO seeds (5000), from MU_ZOO_FIRST (1) on, as many as fit into 25 minutes: each alone, twice, and
# then in MU_ZOO_SOME of the modes (4, by turns; 0 is all). How many there were is said.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl
need_bin memusage
need_recorder
was_built "$MU_BUILD/tests/zoo/zoo"
first=${MU_ZOO_FIRST:-1}
seeds=$first-$((first + ${MU_ZOO:-5000} - 1))

agree() {
	text=$1
	shift
	run "$MU_SRC/tests/zoo/run" --jobs=2 "$@"
	is "$status" 0 "$text" || diag "$err"
	diag "$out"
	like "$out" '^[1-9][0-9]* programs, [1-9][0-9]* runs, 0 failed' "$text: something ran"
}
agree 'what failed once, in all modes' --kept="$MU_SRC/tests/zoo/kept"
agree 'without memusage nothing is left to chance' --native --seconds=300 "$seeds"
agree 'under memusage' --some="${MU_ZOO_SOME:-4}" --seconds=1100 "$seeds"
done_testing
