#!/bin/sh
# massif_compare.t -- profiles are those of Valgrind's Massif, to the byte but for addresses, and
# so is what is printed of them.
#
# Programs run under both, with time in bytes, so that nothing depends on the machine's speed.
# What cannot be equal is in docs/compat.md.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need valgrind ms_print
need_bin memusage memusageprint
need_libdw

. "$MU_SRC/tests/lib/massif.sh"

# massif_compare_rows.t compares more programs: those in the manner of Massif's own tests.

# Snapshots: when, which, how many.
for name in one zero cull gaps peaks clock fifo; do
	compare $name
done
compare cull --max-snapshots=13 --detailed-freq=3 --heap-admin=16
compare gaps --max-snapshots=1000 --detailed-freq=1000000
compare gaps --max-snapshots=10
compare peaks --peak-inaccuracy=10.5 --heap-admin=0
compare big --heap-admin=1024

# Calls of all kinds, and ends of all kinds.
for name in realloc kinds stdio killed leave; do
	compare $name --detailed-freq=1 --threshold=0
done

# Trees: order, depth, thresholds, names.
for name in chains deep ties recursion callback jump frames optimised names small levels; do
	compare $name
done
compare chains --alloc-fn=a3 --depth=2
compare deep --depth=8 --alloc-fn=f12 --alloc-fn=f11 --alloc-fn=f10 --alloc-fn=f9
compare recursion --depth=1
compare recursion --depth=200 --threshold=0
compare small --threshold=0.99 --detailed-freq=1
compare levels --threshold=5 --detailed-freq=1
compare levels --threshold=10 --depth=2
compare levels --threshold=100
compare optimised --detailed-freq=2 --threshold=0

# Inlined calls, and how files and functions are called.
compare inline
compare inline --threshold=0 --detailed-freq=1 --depth=2
compare inline --read-inline-info=no
compare inline --fullpath-after=
compare inline --fullpath-after=tests/
if [ -x "$WORKLOADS/massif_new" ]; then
	compare new --detailed-freq=1
	compare new --demangle=no --threshold=0
	compare strings --threshold=0
else
	skip 'no C++ compiler' 6
fi

# What a program announces by Valgrind's macros. The option is no part of what the files say.
if grep -q 'include.*valgrind' "$MU_SRC/tests/workloads/massif_custom.c" &&
	[ -e /usr/include/valgrind/valgrind.h ]; then
	served=--client-requests=massif
	compare custom --detailed-freq=1 --threshold=0 --max-snapshots=200
	compare custom --heap-admin=0 --alloc-fn=custom_alloc
	served=
else
	skip 'no headers of Valgrind' 4
fi

# A child has its parent's history; each writes a file of its own. The child has the smaller peak;
# its number may be smaller, too, where those of processes begin again.
both massif_fork --massif-out-file=out.%p
for side in valgrind ours; do
	for file in "$side"/*; do
		echo "$(sed -n 's/^mem_heap_B=//p' "$file" | sort -n | tail -n 1) ${file##*/}"
	done | sort -n | cut -d' ' -f2 >names
	is "$(wc -l <names)" 2 "fork: $side: two profiles"
	i=0
	while read -r name; do
		i=$((i + 1))
		mv "$side/$name" "$side.$i"
	done <names
done
for i in 1 2; do
	normal "valgrind.$i" >want
	normal "ours.$i" >got
	same got want "fork: profile $i"
done

done_testing
