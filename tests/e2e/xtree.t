#!/bin/sh
# xtree.t -- --xtree-memory: the same events, values, totals and stacks as Valgrind's, in both
# forms; callgrind_annotate reads what is written.
#
# Deliberate differences (docs/compat.md) do not occur in these programs, or are taken out here.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# ---- without Valgrind -------------------------------------------------------------------------

run memusage -q --xtree-memory=full "$WORKLOADS/massif_chains"
is "$status" 0 'the program ends as it would'
name=$(echo xtmemory*)
case $name in
xtmemory.kcg.[0-9]*) pass 'the name is xtmemory.kcg.PID' ;;
*) fail "the name is xtmemory.kcg.PID, not '$name'" ;;
esac
like "$(cat "$name")" 'events: curB  curBk  totB  totBk  totFdB  totFdBk ' 'six events'
rm -f xtmemory*

run memusage -q --xtree-memory=allocs --xtree-memory-file='a%%.%n.%n.%q{KIND}' true
is "$status" 125 'a variable that is not set'
like "$err" 'xtree-memory-file=.*KIND' 'is said before the program runs'
KIND=kcg memusage -q --xtree-memory=allocs --xtree-memory-file='a%%.%n.%n.%q{KIND}' \
	"$WORKLOADS/massif_chains"
is "$(echo a%*)" "a%.1.2.kcg" "percent, numbers and a variable in a name"

run memusage -q --xtree-memory=some true
is "$status" 125 'a value that is none is refused'
like "$err" 'none\|allocs\|full' 'and those that are are named'

# From a recording, later.
memusage -q --record=rec.mur --xtree-memory=full --xtree-memory-file=at-once \
	"$WORKLOADS/massif_levels"
run memusageprint --xtree-memory=full --xtree-memory-file=later rec.mur
same later at-once 'what is written later is what was written at once'
memusage -q --record=half.mur "$WORKLOADS/massif_levels"
run memusageprint --xtree-memory=full --xtree-memory-file=none.kcg half.mur
is "$status" 1 'who freed must have been recorded'
like "$err" 'stacks of frees were not recorded' 'a warning names the reason'
[ -e none.kcg ] && fail 'no empty report is left' || pass 'no empty report is left'
run memusageprint --xtree-memory=allocs --xtree-memory-file=half.kcg half.mur
is "$status" 0 'who holds memory always is'

if command -v callgrind_annotate >/dev/null 2>&1; then
	run callgrind_annotate --threshold=100 at-once
	is "$status" 0 'callgrind_annotate reads it'
	like "$out" 'totB' 'and knows the events'
	total=$(sed -n 's/^totals: [0-9]* [0-9]* \([0-9]*\) .*/\1/p' at-once |
		sed -e :a -e 's/\(.*[0-9]\)\([0-9]\{3\}\)/\1,\2/;ta')
	like "$out" "$total \\(100.0%\\)" 'and finds the totals'
else
	skip 'no callgrind_annotate here' 3
fi

# ---- as Valgrind writes it --------------------------------------------------------------------

if ! command -v valgrind >/dev/null 2>&1 || [ "${LIBDW:-yes}" != yes ] ||
	! is_at_least "$(valgrind --version)" 3.19; then
	skip 'libdw or a Valgrind of version 3.19 or later is not here'
	done_testing
	exit
fi
mkdir valgrind ours

# normal FILE: without process IDs, times and addresses; libc's relative directories once.
normal() {
	sed -e 's/^pid: .*/pid:/' -e 's/^time=.*/time=/' -e 's/0x[0-9A-F][0-9A-F]*: /0x: /' \
		-e 's,\([= ]\)\./\([a-z-]*\)/\./\2/,\1./\2/,' -e 's,\([= ]\)\./[a-z-]*/\.\./,\1../,' "$1"
}

# paragraphs: one line each, sorted: the order of Valgrind's table of blocks is its own.
paragraphs() {
	sed '/^events:/G' | awk -v RS= '{ gsub(/\n/, "|"); print }' | sort
}

# both PROGRAM OPTION...
both() {
	program=massif_$1
	shift
	rm -f valgrind/* ours/*
	(cd valgrind && valgrind --tool=massif --run-libc-freeres=no --run-cxx-freeres=no \
		--massif-out-file=/dev/null "$@" "$WORKLOADS/$program" >/dev/null 2>../valgrind.err)
	(cd ours && memusage -q --run-libc-freeres=no "$@" "$WORKLOADS/$program" >/dev/null 2>../ours.err)
}

# Order included: that of the first event of each stack.
for name in chains deep recursion callback jump frames names levels pairs peaks inline kinds \
	optimised stdio ties ramp fifo gaps small; do
	both $name --xtree-memory=full --xtree-memory-file=out.kcg
	normal valgrind/out.kcg >want
	normal ours/out.kcg >got
	same got want "full: $name"
done
for name in chains names ramp levels inline; do
	both $name --xtree-memory=allocs --xtree-compress-strings=no --xtree-memory-file=out.kcg
	normal valgrind/out.kcg | paragraphs >want
	normal ours/out.kcg | paragraphs >got
	same got want "allocs: $name"
done
for name in chains levels inline pairs nothing; do
	both $name --xtree-memory=full --xtree-memory-file=out.ms
	normal valgrind/out.ms >want
	normal ours/out.ms >got
	same got want "Massif form: $name"
done
both chains --xtree-memory=allocs --xtree-memory-file=out.ms
normal valgrind/out.ms >want
normal ours/out.ms >got
same got want 'Massif form: allocs'
both recursion --xtree-memory=full --xtree-memory-file=out.kcg --depth=3 --alloc-fn=main
normal valgrind/out.kcg >want
normal ours/out.kcg >got
same got want '49 more frames than --depth, and no --alloc-fn'
if [ -x "$WORKLOADS/massif_new" ]; then
	for name in new strings; do
		both $name --xtree-memory=full --xtree-memory-file=out.kcg
		normal valgrind/out.kcg | paragraphs >want
		normal ours/out.kcg | paragraphs >got
		same got want "full: $name"
	done
else
	skip 'no C++ compiler' 2
fi
done_testing
