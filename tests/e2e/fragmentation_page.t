#!/bin/sh
# fragmentation_page.t -- the view "Pages" of the HTML page: by each grouping its places add up to what
# was examined, and the first one is that of the report.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat
need_libdw
need_page
need jq node
PATH=$WORKLOADS:$PATH

run memusage -o report --fragmentation --record=kept.mur --html=kept.html fragments pool
is "$status" 0 'a page is made' || diag "$err"
sed -n 's,.*<script id="data" type="application/json">\(.*\)</script>.*,\1,p' kept.html >page.json
memusageprint --to=json kept.mur >kept.json
of_page() {
	jq -c ".fragmentation | $1" page.json
}
is "$(of_page '[.parts[].bytes]')" "$(jq -c '.pages.resident_parts | [.live, .slack, .free,
	.mappings, .stacks, .files, .recorder]' kept.json)" 'the parts of resident memory'
for group in line function file object; do
	is "$(of_page "[.${group}[].slack] | add")" "$(of_page '.parts[1].bytes')" \
		"by $group the slack adds up"
	is "$(of_page "[.${group}[].live] | add")" "$(of_page '.parts[0].bytes')" '... and what is live'
done
# The place is the innermost function of the node, as all nodes are of this program.
name=$(jq -r '.fragmentation.function[0].node as $n | .places[5 * (.tree.place[$n - 1] - 1)] as $t |
	.strings[$t - 1]' page.json)
is "$name" allocate_kept 'the place that keeps most'
like "$(cat report)" "^$name \\(fragments\\.c:.* keeps" '... is that of the report'
is "$(of_page '.tops[0].is_main')" true 'what keeps [heap] from shrinking'
like "$(of_page '.advice[0] | .text + .after')" 'give the blocks of .* a pool of their own' 'the advice'
is "$(of_page '.advice[0].node')" "$(of_page '.function[0].node')" '... with its place'
run memusage -o report --record=kept.mur --html=without.html fragments pool
unlike "$(cat without.html)" '"fragmentation":' 'a run without it has no such view'
done_testing
