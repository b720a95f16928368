#!/bin/sh
# fragmentation_advice.t -- what --fragmentation advises is true: each program that follows the advice
# has less private memory by what was predicted, to within a third of that.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

# rss COMMAND...: its private memory in the end
rss() { "$@" | sed -n 's/^RSS=//p'; }
# bytes NUMBER UNIT
bytes() {
	awk -v n="$1" -v unit="$2" 'BEGIN {
		printf "%.0f\n", n * (unit == "GiB" ? 2 ^ 30 : unit == "MiB" ? 2 ^ 20 : unit == "KiB" ? 1024 : 1) }'
}
# advised WORDS: the bytes of the advice with these words in the report
advised() {
	sed -n '/what may make/,$p' report | grep -F -m 1 "$1" | {
		read -r number unit _
		bytes "${number:-0}" "$unit"
	}
}
# proved KIND WORDS COMMAND...: the command follows the advice
proved() {
	kind=$1 words=$2
	shift 2
	memusage -o report --fragmentation fragments "$kind" >printed
	predicted=$(advised "$words")
	num "$predicted" -ge $((4 << 20)) "$kind: the report advises it"
	before=$(rss fragments "$kind") after=$(rss "$@")
	gain=$((before - after))
	diag "$kind: about $predicted, in fact $gain"
	num "$gain" -ge $((predicted * 2 / 3)) "$kind: who follows it has less memory"
	num "$gain" -le $((predicted * 4 / 3)) '... by not much more than was predicted'
}

proved trim malloc_trim fragments trim yes
proved pool 'pool of their own' fragments pool yes
proved threshold MALLOC_MMAP_THRESHOLD_ env MALLOC_MMAP_THRESHOLD_=131072 fragments threshold
proved arenas MALLOC_ARENA_MAX env MALLOC_ARENA_MAX=1 fragments arenas
other=
for lib in libjemalloc.so.2 libmimalloc.so.2; do
	LD_PRELOAD=$lib fragments trim 2>&1 | grep -q "$lib" || other=$lib
done
if [ "$other" ]; then
	proved tiny 'wastes less on small blocks' env LD_PRELOAD="$other" fragments tiny
else
	skip 'no other allocator is installed here'
fi
# tcmalloc asks brk() for memory, as glibc does.
other=libtcmalloc.so.4
if LD_PRELOAD=$other fragments trim 2>&1 | grep -q "$other"; then
	skip "$other is not installed here"
else
	env LD_PRELOAD=$other memusage -o report --fragmentation fragments trim >printed
	like "$(cat report)" 'heap: free but resident' 'a heap of tcmalloc is examined'
	unlike "$(cat report)" 'malloc_trim|MALLOC_|\[heap\]' '... and gets no advice for glibc'
fi
memusage -o report --fragmentation fragments none >printed
unlike "$(cat report)" 'what may make' 'a program with a small heap gets no advice'
done_testing
