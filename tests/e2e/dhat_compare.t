#!/bin/sh
# dhat_compare.t -- what was allocated in all, at the peak and at the end is, at every program
# point, what Valgrind's DHAT finds.
#
# Points are matched by the functions and lines of their stacks. What cannot be equal is in
# docs/compat.md.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_valgrind
need perl
need_bin memusage memusageprint
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'
need_libdw

# compare PROGRAM OPTION...
compare() {
	program=$1
	shift
	rm -f want got
	valgrind --tool=dhat --run-libc-freeres=no --run-cxx-freeres=no --dhat-out-file=want "$@" \
		"$WORKLOADS/$program" >/dev/null 2>want.err
	memusage -o report --dhat-out-file=got "$@" "$WORKLOADS/$program" >/dev/null
	# 3.24 leaves the frames out where --num-callers=1 leaves none, 3.26 refuses it.
	if grep -q '"fs":]' want || grep -q "'--num-callers' argument must be" want.err; then
		skip "$(valgrind --version) wrote no JSON: $program $*" 2
		return
	fi
	ok "$program${1:+ }$*" perl "$MU_SRC/tests/lib/dhat_compare.pl" got want
	grep '^==.*bytes in' want.err | sed 's/^==[0-9]*== //' >want.sum
	grep '^==.*bytes in' report | sed 's/^==[0-9]*== //' >got.sum
	same got.sum want.sum '... and the summary'
}

for program in massif_chains massif_pairs massif_realloc massif_ties massif_recursion \
	massif_levels massif_peaks massif_new massif_strings massif_kinds massif_zero \
	massif_optimised massif_callback massif_jump massif_nothing dhat_rules sites names; do
	compare $program
done
compare massif_levels --num-callers=3
compare sites --num-callers=1
# Valgrind has two frames of its own in posix_memalign.
compare dhat_rules --num-callers=3

done_testing
