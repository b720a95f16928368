#!/bin/sh
# holders_allocators.t -- what a variable retains does not depend on the allocator: neither links of free
# lists nor a vector's pointer to the end of its block, where the next one begins, hold anything.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint holders
need_tracing
PATH=$WORKLOADS:$PATH

# held [LIBRARY]: the share of the heap, without decimals, that each variable retains. A few blocks may
# have old words in them that the program has not overwritten.
held() {
	LD_PRELOAD=$1 memusage -q --children=none --holders -o report holders keep >printed </dev/null
	sed -n '/  held by$/,/^$/p' report | grep -E ' (cache|by_name) in holders$' |
		sed -E 's/^.* ([0-9]+)\.[0-9]% +[0-9,]+  /\1 /'
}
with_glibc=$(held '')
is "$with_glibc" "$(printf '%s\n' '70 cache in holders' '16 each of: by_name in holders; cache in holders' \
	'9 by_name in holders')" 'two maps retain their own, and some items together'
for name in jemalloc tcmalloc_minimal mimalloc; do
	library=$(find /usr/lib /usr/local/lib -name "lib$name.so.[0-9]*" 2>/dev/null | head -n 1)
	if [ "$library" ]; then
		with_library=$(held "$library")
		is "$with_library" "$with_glibc" "the same with $name"
		[ "$with_library" = "$with_glibc" ] || diag "$(cat report)"
	else
		skip "no $name is installed" 1
	fi
done
done_testing
