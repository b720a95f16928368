#!/bin/sh
# tiles.t -- the tile registers of AMX, the largest state that a thread has, are what they were after
# each event in each mode, after an examination, and when a recorder comes and goes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/examined.sh"
need_bin memusage tiles
need mkfifo
PATH=$WORKLOADS:$PATH
alone=$(tiles </dev/null)
[ "$alone" != 'no tiles' ] || skip_all 'this CPU, or its kernel, has no AMX'
is "$alone" 'ready
wrong=0' 'the program computes right alone'

while read -r mode; do
	rm -f report
	# shellcheck disable=SC2086  # several options
	run memusage -o report $mode tiles </dev/null
	is "$status $out" "0 $alone" "${mode:-no option}: the same products"
	ok '... and a recording' grep -Eq '^ *malloc\| *[0-9]{5}| allocated [0-9.]+% of ' report
done <<'END'

--no-timer
-m --data=run.dat
--top
--sample
--record=run.mur
--massif --massif-out-file=run.massif
--dhat-out-file=run.dhat
--own-malloc=patch --top
END

begin_examined tiles
num "$program" -gt 0 'it runs'
examined=0
for i in $(seq "$(attempts 5 50)"); do
	memusage --pid="$program" leak_check summary >log 2>&1 && grep -q 'definitely lost:' log &&
		memusage --pid="$program" holders >>log 2>&1 && examined=$((examined + 1))
done
is "$examined" "$i" 'it is examined' || diag "$(cat log)"
end_examined
is "$ended $(tail -1 output)" '0 wrong=0' '... and computes right all the while'

need_attach
begin_stranger tiles
recorded=0
for i in $(seq "$(attempts 5 50)"); do
	rm -f report
	attach "$program" -o report
	detach
	[ "$status" = 0 ] && grep -q '^ *malloc|' report && recorded=$((recorded + 1))
done
is "$recorded" "$i" 'a recorder comes and goes' || diag "$(cat attach.err)"
end_stranger
is "$ended $(tail -1 output)" '0 wrong=0' '... and the program computes right all the while'
done_testing
