#!/bin/sh
# holders_page.t -- the view "Who holds it" of the HTML page: its figures are those of the recording,
# each block is in them once, and what an earlier moment did not have is gained.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint memusagestat
need_libdw
need_page
need node jq
PATH=$WORKLOADS:$PATH

# rows [GROUP [TREE]]: the rows of the view
rows() {
	node "$MU_SRC/tests/lib/page_holding.mjs" "$MU_SRC" kept.html "$@"
}
# figures LABEL: bytes, shared, gained of the row of a root
figures() {
	rows | sed -n "s/^1 \\([0-9]* [0-9]* -*[0-9]*\\) .*|$1\$/\\1/p"
}

# ---- figures ---------------------------------------------------------------------------------

if [ -x "$WORKLOADS/holders" ]; then
	run memusage -q --record=kept.mur --holders holders keep
	is "$status" 0 'something is recorded'
	run memusagestat --html=kept.html kept.mur
	is "$status" 0 'a page is made' || diag "$err"
	memusageprint --to=json kept.mur >kept.json
	live=$(jq '[.holders[-1].retained[].bytes] | add' kept.json)
	for group in line function file object; do
		for tree in retained shortest; do
			is "$(rows $group $tree | sed -n '1s/^0 \([0-9]*\) .*/\1/p')" "$live" \
				"$tree by $group: all that is live"
			is "$(rows $group $tree | awk '{ sum += $5 } END { print sum }')" "$live" \
				'... once'
		done
	done
	cache=$(jq '.holders[-1] as $h | $h.retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.root != null and
			$h.roots[$r.root].name == "cache") | $t[$i].bytes] | add' kept.json)
	both=$(jq '.holders[-1] as $h | $h.retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.set != null) |
			$t[$i].bytes] | add' kept.json)
	is "$(figures 'cache in holders')" "$cache $both 0" 'a root retains, and shares with another'
	rows >all
	like "$(cat all)" '^1 [0-9]+ 0 0 0 0 \|each of: by_name in holders; cache in holders$' \
		'... which have a row together'
	like "$(cat all)" '^2 [0-9]+ 0 0 1120000 20000 std::_Rb_tree_node<std::pair<int const, .*\|fill$' \
		'the first step of the way, with its type'
	like "$(cat all)" '^3 [0-9]+ 0 0 1080000 15000 std::_Sp_counted_ptr_inplace.*\|fill$' \
		'... and the next one'
else
	skip 'no C++ compiler'
fi

# ---- two moments ------------------------------------------------------------------------------

mkfifo in
memusage -o report --holders --record=kept.mur --snapshot-signal=USR2 --snapshot-file='s.%n' \
	holder_growth <in >printed &
job=$!
exec 9>in
until_true grep -q ready printed
find_collector
kill -USR2 "$(pids holder_growth "$launcher")"
until_true test -s s.1
is_idle() {
	[ -z "$(cat /proc/"$collector"/task/*/children)" ]
}
until_true is_idle
echo >&9
exec 9>&-
wait $job
run memusagestat --html=kept.html kept.mur
is "$status" 0 'a page of two moments'
round=$((100 * (16 + 1000)))
is "$(figures 'list in holder_growth')" "$((2 * round)) 0 $round" 'what has grown'
is "$(figures 'table in holder_growth')" '500000 0 0' '... and what has not'

# ---- none -------------------------------------------------------------------------------------

ok 'a run without it' memusage -q --html=kept.html true
unlike "$(cat kept.html)" '"holders":' '... has no such view'
done_testing
