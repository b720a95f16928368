#!/bin/sh
# recorder_cxx.t -- C++'s operators and Rust's allocations are counted once, whoever allocates.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin new

# What ten rounds add to each row: the run-time's own blocks cancel out.
# ten_rounds PROGRAM: sets the report's numbers in $rows
# shellcheck disable=SC2317  # rounds calls it
ten_rounds() {
	memusage -o none -- "$1" 00 && memusage -o ten -- "$1" 10 || return 1
	for f in 'malloc calls' 'malloc bytes' 'memalign calls' 'memalign bytes' 'calloc calls' \
		'realloc calls' 'realloc bytes' 'free calls' 'free bytes'; do
		# shellcheck disable=SC2086  # two words
		echo "$f $(($(report_field $f ten) - $(report_field $f none)))"
	done >rows
}

# rounds TEXT WANT PROGRAM [SHARE]: the rows that are not zero
rounds() {
	ok "$1: runs" ten_rounds "$3"
	is "$(awk '$3 { printf "%s%s %s %s", n++ ? ", " : "", $1, $2, $3 }' rows)" "$2" \
		"$1: each is counted once"
	unlike "$(cat ten)" 'not recorded|not seen' "$1: nothing dropped"
}

operators='malloc calls 60, malloc bytes 230400, memalign calls 60, memalign bytes 230400'
operators="$operators, free calls 120, free bytes 460800"
rounds 'libstdc++' "$operators" new
profiled 'libstdc++, failing' new fail

for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 'libmimalloc.so.[23]'; do
	so=$(ldconfig -p 2>/dev/null | sed -n "s|^[[:space:]]*$name .*=> ||p" | head -n 1)
	if [ -z "$so" ]; then
		skip "no $name here" 26
		continue
	fi
	LD_PRELOAD=$so
	export LD_PRELOAD
	rounds "$name preloaded" "$operators" new
	profiled "$name preloaded, failing" new fail
	# It brings libstdc++ and its own blocks: no truth to the byte.
	truth=no
	profiled "$name preloaded, malloc" family usable
	profiled "$name preloaded, memalign" family aligned
	truth=yes
	unset LD_PRELOAD
	if ${CXX:-c++} -O1 -I "$MU_SRC" -o linked "$MU_SRC/tests/workloads/new.cc" \
		-Wl,--no-as-needed "$so" 2>cxx.log; then
		rounds "$name linked" "$operators" ./linked
		profiled "$name linked, failing" ./linked fail
	else
		skip "cannot link with $name" 8
	fi
done

if command -v rustc >/dev/null && rustc -O -o vectors "$MU_SRC/tests/workloads/vectors.rs" \
	2>rustc.log; then
	want='malloc calls 10, malloc bytes 30000, memalign calls 10, memalign bytes 40960'
	want="$want, calloc calls 10, realloc calls 20, realloc bytes 90000"
	rounds 'Rust' "$want, free calls 30, free bytes 210960" ./vectors
else
	skip 'no working rustc here' 3
fi
done_testing
