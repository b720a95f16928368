#!/bin/sh
# massif_compare_rows.t -- what Massif's own tests look at, one after the other, with programs of ours
# in their manner and their options: identical, or different as docs/compat.md says.
#
# docs/compat.md has the table of these tests; those of --pages-as-heap are elsewhere.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_valgrind
need ms_print
need_bin memusage memusageprint
need_libdw
. "$MU_SRC/tests/lib/massif.sh"

# alloc_fns NAME...: as options
alloc_fns() {
	for fn; do
		printf -- '--alloc-fn=%s ' "$fn"
	done
}
# Words without blanks: they are to be split.
chains=$(alloc_fns a4 b4 b3 c4 c3 c2 d4 d3 d2 d1)
outer=$(alloc_fns f12 f11 f10 f9 f8 f7 f6)
most=$(alloc_fns f12 f11 f10 f9 f8 f7 f6 f5 f4 f3)
all=$(alloc_fns f12 f11 f10 f9 f8 f7 f6 f5 f4 f3 f2 f1 main)

# printed OPTION...: the last profiles, printed with options
printed() {
	(cd valgrind && ms_print "$@" out 2>&1) | normal - >want
	(cd ours && memusageprint "$@" out 2>&1) | normal - >got
	same got want "... and printed with $*"
}

# shellcheck disable=SC2086  # lists of options
{
	row='alloc-fns-A' && compare chains --heap-admin=0
	row='alloc-fns-B' && compare chains --heap-admin=0 $chains
	row='basic' && compare ramp
	row='basic2' && compare ramp --detailed-freq=1 --max-snapshots=10
	row='big-alloc' && compare big
	row='culling1' && talks cull --heap-admin=16
	row='culling2' && talks gaps --heap-admin=16
	row='deep-A' && compare deep --depth=8
	row='deep-B' && talks deep --depth=8 $outer
	row='deep-B' && compare deep --depth=8 $outer
	row='deep-C' && talks deep --depth=8 $most
	row='deep-C' && compare deep --depth=8 $most
	row='deep-D' && compare deep --depth=20 $all
}
row='ignored' && compare ignored --heap-admin=0 --ignore-fn=ignore1 --ignore-fn=ignore2
row='ignoring' && compare pairs
row='inlinfomalloc' && compare inline --heap-admin=0 --threshold=0 --detailed-freq=6
row='insig' && compare small --heap-admin=128 --threshold=0.99
row='long-names' && compare names --heap-admin=0 --detailed-freq=3
row='long-time' && compare clock --heap-admin=0
num "$(sed -n 's/^time=//p' ours/out | tail -1)" -gt 4294967296 '... beyond 32 bits'
row='no-stack-no-heap' && compare ramp --heap=no
row='null' && compare nothing
row='one' && compare one --heap-admin=0
row='peak' && compare peaks --peak-inaccuracy=0 --heap-admin=128
row='peak2' && talks peaks --peak-inaccuracy=10 --heap-admin=128
row='peak2' && compare peaks --peak-inaccuracy=10 --heap-admin=128
row='realloc' && talks realloc --heap-admin=0 --threshold=0
row='realloc' && compare realloc --heap-admin=0 --threshold=0
for recorder in 0 5 10; do
	row="thresholds_${recorder}_*" && compare levels --heap-admin=0 --threshold=$recorder
	printed --threshold=0
	printed --threshold=10
done
row='zero1, zero2' && compare zero --heap-admin=0
printed --threshold=0

# ---- C++ ----------------------------------------------------------------------------------------
if [ -x "$WORKLOADS/massif_new" ]; then
	row='new-cpp' && compare new '--ignore-fn=__static_initialization_and_destruction_0' \
		--ignore-fn=_GLOBAL__sub_I_eh_alloc.cc '--ignore-fn=pool (eh_alloc.cc:123)' \
		--ignore-fn=call_init.part.0 --ignore-fn=call_init
	row='overloaded-new' && compare replaced --heap-admin=0
	is "$(cat ours.err)" 'a block each' '... with the same result'
	# Inlined calls are looked at since 3.22; earlier versions show them as main's.
	counts=1000
	! is_at_least "$(valgrind --version)" 3.22 || counts=0
	row='bug469146'
	both massif_ignored_array --massif-out-file=out --ignore-fn=taken_in \
		'--ignore-fn=apart(int)' --ignore-fn=c_name --ignore-fn=call_init
	is "$(grep -c '^snapshot=' ours/out)" 1 "$row: inlined calls are ignored too"
	is "$(sed -n 's/^mem_heap_B=//p' valgrind/out | sort -nu | tail -1)" "$counts" \
		'... which Valgrind counts before 3.22'
	both massif_ignored_array --massif-out-file=out --ignore-fn=main --ignore-fn=taken_in \
		'--ignore-fn=apart(int)' --ignore-fn=c_name --ignore-fn=call_init
	is "$(grep -c '^snapshot=' valgrind/out)" 1 '... or, with main named, ignores them'
else
	skip 'no C++ compiler' 7
fi

# ---- what is not the same, on purpose ---------------------------------------------------------------
# The program's operator is its own: nothing is put in its place.
if [ -x "$WORKLOADS/massif_replaced" ]; then
	memusage -q --massif-out-file=out --ignore-fn=call_init "$WORKLOADS/massif_replaced" constant 2>err
	is "$(cat err)" "the program's" 'overloaded-new: an operator that returns a constant returns it'
	is "$(grep -c '^snapshot=' out)" 1 '... and no block is seen'
else
	skip 'no C++ compiler' 2
fi
# malloc_usable_size is libc's, and what it says is as without us.
"$WORKLOADS/massif_usable" >want
memusage -q --massif-out-file=out "$WORKLOADS/massif_usable" >got
same got want 'malloc_usable: the C library answers'
num "$(grep -c '^snapshot=' out)" -gt 20 '... and the blocks are recorded'
# An address that is no block: libc ends the program, and there is a profile.
(ulimit -c 0; "$WORKLOADS/massif_usable" wrong) >/dev/null 2>&1
native=$?
(ulimit -c 0; memusage -q --massif-out-file=out "$WORKLOADS/massif_usable" wrong) >/dev/null 2>&1
is "$?" "$native" 'realloc: of an address that is no block ends as without us'
is "$(grep -c '^snapshot=' out)" 1 '... and there is a profile'

done_testing
