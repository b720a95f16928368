#!/bin/sh
# fragmentation.t -- memusage --fragmentation and --pid=PID pages: the parts of resident memory add up
# to the kernel's figure, places pin what they must, and untouched blocks are told from others.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint leaks
need_libdw
PATH=$WORKLOADS:$PATH

# amount TEXT: the first amount of the line with TEXT, in bytes
amount() {
	grep -E -m 1 "$1" report | awk '{
		unit = $2 == "GiB" ? 2 ^ 30 : $2 == "MiB" ? 2 ^ 20 : $2 == "KiB" ? 1024 : 1
		printf "%.0f\n", $1 * unit }'
}
# about NUMBER WANTED WHAT: to within 2 %
about() {
	num "$1" -ge $(($2 * 98 / 100)) "$3"
	num "$1" -le $(($2 * 102 / 100)) "... and not more"
}
# adds_up: the parts are the kernel's figure
adds_up() {
	all=$(amount 'in all; the kernel')
	kernel=$(sed -n 's/.*the kernel counts //p' report | awk '{
		printf "%.0f\n", $1 * ($2 == "GiB" ? 2 ^ 30 : $2 == "MiB" ? 2 ^ 20 : 1024) }')
	num "$kernel" -gt 0 "$1: the kernel's figure is there"
	about "$all" "$kernel" "$1: the parts add up to it"
}

# ---- at the end ---------------------------------------------------------------------------

run memusage -o report --fragmentation fragments pool
is "$status" 0 'the program ends as alone'
like "$out" '^kept=2048 bytes=131072' '... with its output'
like "$(head -n 2 report)" '^allocate_kept .*fragments.c:[0-9]+\) keeps|free pages' 'the answer comes first'
like "$(grep -A1 'KiB  allocate_kept' report)" 'in 2,0[4-9][0-9] pages, alone in 2,0' 'each kept block has a page'
kept=$(grep 'KiB  allocate_kept' report)
about "$(printf '%s\n' "$kept" | awk '{ printf "%.0f\n", $6 * 1024 }')" 131072 'its live bytes'
about "$(printf '%s\n' "$kept" | awk '{ printf "%.0f\n", $1 * 2 ^ 20 }')" $((2048 * 4032)) 'the slack'
like "$(cat report)" 'The last 2,04[0-9] blocks of \[heap\] are from allocate_kept' 'the top is theirs'
adds_up 'at the end'
run memusage -o report --fragmentation fragments untouched
like "$(cat report)" 'in 2 pages, alone in 2; 8.00 MiB untouched' 'an untouched block is told'
run memusage -o report --top fragments pool
is "$status" 0 'without the option'
unlike "$(cat report)" 'slack' '... nothing is said'

# ---- real programs ------------------------------------------------------------------------

. "$MU_SRC/tests/lib/resident.sh"
explained perl -e 'my %n; $n{$_} = [$_] for 1 .. 30000; delete @n{1 .. 29000}'
explained bash -c 'for i in {1..10000}; do a[i]=$i; done; unset a'
explained git -C "$MU_SRC" --version

# ---- kept, and read later -----------------------------------------------------------------

run memusage --quiet --record=kept.mur --fragmentation fragments pool
run memusageprint --fragmentation=1 kept.mur
is "$status" 0 'a kept recording has it'
printf '%s\n' "$out" >report
like "$out" '[0-9]+ other places?' '... with as many places as are wanted'
run memusageprint --fragmentation --group=object kept.mur
like "$out" '^ +[0-9.]+ MiB 100.0% .*fragments$' 'places can be objects'
if command -v jq >/dev/null; then
	memusageprint --to=json kept.mur >kept.json
	is "$(jq '.pages | .resident_parts.live == ([.live_sites[].resident] | add)' kept.json)" true \
		'JSON: sites add up to the live bytes'
	is "$(jq '.pages | .resident_parts.slack == ([.groups[].slack] | add)' kept.json)" true \
		'... groups to the slack'
	is "$(jq '.pages | [.heaps[] | .live + .slack + .free] | add' kept.json)" \
		"$(jq '.pages.resident_parts | .live + .slack + .free' kept.json)" '... heaps to both'
	is "$(jq '.pages as $p | .sites[$p.heaps[0].top.site].live_blocks' kept.json)" 2048 \
		'... and name the site of the top'
	manual=$(sed -n '/^\.SH JSON/,/^\.SH EXIT/p' "$MU_SRC/man/memusageprint.1" |
		tr -s ' ,;:~\\()' '\n')
	is "$(jq -r '.pages | [paths | .[-1] | strings] | unique | .[]' kept.json |
		while read -r member; do
			printf '%s\n' "$manual" | grep -qx "$member" || echo "$member"
		done)" '' '... with members that the manual names'
else
	skip 'jq is not installed'
fi
run memusage --quiet --record=without.mur --top fragments pool
run memusageprint --fragmentation without.mur
is "$status" 1 'a recording without it is refused'
like "$err" 'were not examined: that is done by memusage --fragmentation' '... with what to do'
run memusage --fragmentation --sample fragments pool
is "$status" 125 'samples are refused'

# ---- while it runs ------------------------------------------------------------------------

mkfifo go
memusage --quiet -o whole --top fragments pool no wait <go >printed &
launcher=$!
exec 9>go
until_true grep -q RSS= printed
run memusage --pid=$launcher pages
is "$status" 0 'pages of a running process'
printf '%s\n' "$out" >report
like "$out" 'in 2,0[4-9][0-9] pages, alone in 2,0' '... has the same places'
adds_up 'while it runs'
run memusage --pid=$launcher pages now.mur
is "$status" 0 'pages FILE'
run memusageprint --fragmentation now.mur
like "$out" 'in 2,0[4-9][0-9] pages, alone in 2,0' '... keeps them'
echo >&9
exec 9>&-
wait $launcher
is $? 0 'the program is unharmed'

# ---- several processes --------------------------------------------------------------------

run memusage -o report --fragmentation sh -c 'fragments pool; (exit 3); fragments none; :'
is "$status" 0 'several processes'
like "$(cat report)" 'were live at the end, held by process .*fragments' \
	'... the report says which one it is about'
like "$(cat report)" 'in 2,0[4-9][0-9] pages, alone in 2,0' '... that with most'

# A little waste is not worth a word, but no heap of which much is wasted is compact.
run memusage -o report --fragmentation leaks held_list
like "$(cat report)" 'the heap is small: [1-4][0-9]\.[0-9]% of its resident [0-9.]+ KiB are live' 'a small heap'

# A process that ends at once, or is killed, has no such figures, and that is said.
run memusage -o report --fragmentation sh -c 'kill -9 $$'
is "$status" 137 'a killed program'
like "$(cat report) $err" 'not examined' '... has not been examined'
done_testing
