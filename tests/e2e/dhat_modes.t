#!/bin/sh
# dhat_modes.t -- what is Valgrind's DHAT's with threads, in forked children and of ad hoc events,
# too; and the times that a profile can be in.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_valgrind
need perl
need_bin memusage memusageprint threads forks macros dhat_rules
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'
need_libdw

# both OPTION... PROGRAM ARGUMENT: profiles of DHAT (want.PID) and ours (got.PID)
both() {
	rm -f want.* got.*
	valgrind -q --tool=dhat --run-libc-freeres=no --run-cxx-freeres=no --dhat-out-file=want.%p \
		"$@" >/dev/null 2>valgrind.err
	memusage -q --dhat-out-file=got.%p "$@" >/dev/null 2>memusage.err
}

# With the recorder there is one more module with thread-local storage, which the C library's
# tables for threads are larger by. Beyond three frames Valgrind's threads begin by clone, ours by
# clone3.
for how in churn crowd cross detach; do
	both --num-callers=3 "$WORKLOADS/threads" $how
	perl "$MU_SRC/tests/lib/dhat_compare.pl" got.* want.* tb tbk eb ebk >differ
	like "$(tail -n 1 differ)" 'points, tb=[1-9]' "threads $how: there are points"
	is "$(grep '^at ' differ | grep -v 'rtld-malloc')" '' '... and they are equal' ||
		diag "$(cat differ)"
done

# totals PREFIX: bytes and blocks of each file, sorted
totals() {
	for file in "$1".*; do
		sed -n 's/.*"tb":\([0-9]*\),"tbk":\([0-9]*\).*/\1 \2/p' "$file" |
			awk '{ bytes += $1; blocks += $2 } END { print bytes, blocks }'
	done | sort -n
}
for how in fork nested; do
	both "$WORKLOADS/forks" $how
	num "$(totals got | wc -l)" -ge 2 "forks $how: parent and child have a profile each"
	is "$(totals got)" "$(totals want)" '... with the totals that DHAT has'
done

both --mode=ad-hoc "$WORKLOADS/macros" ad_hoc
ok 'ad hoc events' perl "$MU_SRC/tests/lib/dhat_compare.pl" got.* want.* tb tbk
keys() {
	grep -o '"\(mode\|verb\|bklt\|bkacc\|bu\|bsu\|bksu\)":[^,]*' "$1"
}
is "$(keys got.*)" "$(keys want.*)" '... have the same words'

# unit_of WORD: what a profile calls it
unit_of() {
	memusage -q --dhat-out-file=t.json --time-unit="$1" "$WORKLOADS/dhat_rules" >/dev/null
	sed -n 's/.*"tu":"\([^"]*\)".*/\1/p' t.json
}
sum() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" t.json | awk '{ sum += $1 } END { print sum }'
}
is "$(unit_of B)" 'bytes allocated' 'time in bytes'
is "$(sum te)" "$(sum tb)" '... ends with all that was allocated'
is "$(unit_of allocs)" allocations 'time in blocks'
is "$(sum te)" "$(sum tbk)" '... likewise'
is "$(unit_of cpu)" 'ns of CPU time' 'CPU time'
num "$(sum te)" -gt 0 '... passes'
# A recording without --dhat knows when the heap was largest, from its snapshots.
run memusage -q --record=plain.mur perl -e 'for (1..20) { push @a, "x" x 100000; select(undef, undef, undef, 0.005) }'
run memusageprint --dhat plain.mur
like "$out" 'At t-gmax: .*' 'DHAT of a plain recording has t-gmax'
run memusageprint --to=dhat plain.mur
num "$(printf '%s\n' "$out" | sed -n 's/.*"tg":\([0-9]*\).*/\1/p')" -gt 0 '... at the time of its peak'
done_testing
