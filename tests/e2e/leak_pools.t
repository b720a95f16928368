#!/bin/sh
# leak_pools.t -- a leak check finds the lost blocks of a program's own allocators and pools that are told
# by Valgrind's macros, as Memcheck does.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leak_pools
need_tracing
PATH=$WORKLOADS:$PATH
[ "$(uname -m)" = x86_64 ] || skip_all "requests of Valgrind's macros are served on x86-64 only"

check() {
	memusage -q --leak-check=full --client-requests=yes --show-leak-kinds=all -o mu.log \
		leak_pools "$1" </dev/null
}
# lost KIND: the four sums
lost() {
	check "$1"
	leak_sums mu.log
}
is "$(lost in_held_block)" '200/2 300/3 300/3 1400/5' 'a pool in a block: the block is only its room'
is "$(lost in_static_room)" '200/2 0/0 300/3 1700/8' 'global data that is the room is still a root'
is "$(lost by_head)" '500/5 0/0 0/0 1000/1' '... and the rest of its room holds nothing'
is "$(lost some_freed)" '300/3 0/0 100/1 1200/3' 'elements that were freed are no blocks'
is "$(lost destroyed)" '0/0 0/0 0/0 66536/2' '... nor those of a pool that is gone'
is "$(lost own_in_held_block)" '200/2 300/3 300/3 1400/5' 'blocks of an allocator within a block of malloc'
is "$(lost own_freed)" '0/0 0/0 0/0 66536/2' '... all freed'
is "$(lost meta)" '200/2 300/3 300/3 1400/5' 'blocks in rooms that a metapool has handed out'
check in_held_block
like "$(grep -A1 'at 0x[0-9A-F]*: request' mu.log)" 'by 0x[0-9A-F]+: pool_take \(leak_pools\.c:[0-9]+\)$' \
	'the stack of an element begins at the request'

if ! command -v valgrind >/dev/null || ! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no Valgrind 3.19 is installed' 1
	done_testing
fi
for kind in $(leak_pools); do
	# Memcheck takes the rooms of a metapool for blocks, too, which overlap those in them.
	[ "$kind" != meta ] || continue
	valgrind --leak-check=full --log-file=vg.log leak_pools "$kind"
	is "$(lost "$kind")" "$(leak_sums vg.log)" "$kind: the same sums as Memcheck"
done
done_testing
