#!/bin/sh
# dispatched.t -- a program that has system calls dispatched to itself gets none of the recorder's.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin dispatched

run dispatched
[ "$out" != 'not here' ] || skip_all 'this kernel dispatches no system calls'
is "$status,$out" 0,none 'alone it gets no call'
while read -r options; do
	# shellcheck disable=SC2086
	profiled "${options:-plain}" $options -- dispatched
done <<'END'

--data=run.dat -m
--record=run.mur
--massif --massif-out-file=run.massif
--dhat --dhat-out-file=run.dhat
--own-malloc=patch
END
done_testing
