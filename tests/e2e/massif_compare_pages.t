#!/bin/sh
# massif_compare_pages.t -- with --pages-as-heap=yes the program's own mappings are in the same
# places with the same bytes as under Valgrind's Massif, in every snapshot that both take.
#
# What is mapped before main is not the same: Valgrind is the loader there. docs/compat.md.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need valgrind
need_bin memusage pages
need_libdw

. "$MU_SRC/tests/lib/massif.sh"

# own FILE: of each snapshot with a tree the lines of the program's functions, sorted, as equal
# ones are in the order of addresses; without those of 0 bytes. The same snapshot only once.
own() {
	awk '
	/^snapshot=/ { snap() }
	/ [1-9][0-9]* 0x[0-9A-F]+: .*\(pages\.c:[0-9]+\)/ {
		sub(/^ *n[0-9]+: /, ""); sub(/0x[0-9A-F]+: /, ""); line[++n] = $0
	}
	function snap(i, k, t, all) {
		for (i = 1; i <= n; i++)
			for (k = i; k > 1 && line[k - 1] < line[k]; k--) {
				t = line[k]; line[k] = line[k - 1]; line[k - 1] = t
			}
		all = ""
		for (i = 1; i <= n; i++)
			all = all line[i] "\n"
		if (all != last && all != "")
			printf "%s--\n", all
		last = all; n = 0
	}
	END { snap() }' "$1"
}

(cd valgrind && valgrind --tool=massif --time-unit=B --pages-as-heap=yes --detailed-freq=1 \
	--max-snapshots=1000 --threshold=0 --massif-out-file=out "$WORKLOADS/pages" plain \
	>/dev/null 2>../valgrind.err)
(cd ours && memusage -q --time-unit=B --pages-as-heap=yes --detailed-freq=1 \
	--max-snapshots=1000 --threshold=0 --massif-out-file=out "$WORKLOADS/pages" plain \
	>/dev/null 2>../ours.err)
own valgrind/out >want
own ours/out >got
num "$(grep -c -e -- want)" -gt 70 'there is something to compare'
same got want 'the same places and bytes, snapshot by snapshot'
is "$(grep -c '^mem_heap_extra_B=0$' ours/out)" "$(grep -c '^snapshot=' ours/out)" 'no extra bytes'
is "$(grep -m1 -o '(page allocation.*' ours/out)" "$(grep -m1 -o '(page allocation.*' valgrind/out)" \
	'the same root'
done_testing
