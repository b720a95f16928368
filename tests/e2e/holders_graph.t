#!/bin/sh
# holders_graph.t -- memusageprint --to=graph and --to=dot: the graph has the pointers that the
# program made, and what a root retains is what clearing it frees.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need_libdw
need jq
PATH=$WORKLOADS:$PATH

# node NAME: the index of a node
node() {
	jq --arg name "$1" '[.nodes[].name] | index($name)' graph.json
}
# pointers FROM TO: of the link between two nodes
pointers() {
	jq --argjson from "$(node "$1")" --argjson to "$2" \
		'[.links[] | select(.from == $from and .to == $to) | .pointers] | add // 0' graph.json
}

# ---- a ring, variables, an array ---------------------------------------------------------------

run memusage -q --record=kept.mur --holders holder_roots </dev/null
run memusageprint --to=graph -o graph.json kept.mur
is "$status" 0 'a graph is written' || diag "$err"
ring=$(jq '[.nodes[] | .kind == "place" and .bytes == 2400 and .blocks == 100] | index(true)' graph.json)
data=$(jq '[.nodes[] | .kind == "place" and .bytes == 100000 and .blocks == 100] | index(true)' \
	graph.json)
is "$(pointers 'ring in holder_roots' "$ring")" 1 'a variable has one pointer to a ring'
is "$(jq --argjson n "$ring" '.links[] | select(.from == $n and .to == $n) | .pointers' graph.json)" \
	200 '... whose links have two each to others of it'
is "$(jq --argjson n "$ring" --argjson d "$data" \
	'.links[] | select(.from == $n and .to == $d) | .pointers' graph.json)" 100 \
	'... and one to their data'
is "$(jq --argjson n "$ring" '.nodes[$n].retained' graph.json)" 102400 \
	'... which they retain'
many=$(jq '[.nodes[] | .kind == "place" and .bytes == 7007] | index(true)' graph.json)
is "$(pointers 'many in holder_roots' "$many")" 8 'an array has eight pointers to seven blocks'
is "$(jq '.nodes[] | select(.name == "global_block in holder_roots") | .retained' graph.json)" 10001 \
	'what a variable retains'
is "$(jq '([.nodes[] | select(.kind == "place") | .bytes] | add) == .live_bytes' graph.json)" true \
	'all blocks are in it once'

# ---- graphviz ----------------------------------------------------------------------------------

run memusageprint --to=dot --threshold=0 kept.mur
is "$status" 0 'for graphviz'
like "$out" '^digraph memusage \{$' 'it is a graph'
line="	n$(node 'ring in holder_roots') \\[label=\"ring in holder_roots"
like "$out" "^$line\\\\nretained: 100 KiB\", shape=ellipse" \
	'... with a variable'
like "$out" "^	n$(node 'ring in holder_roots') -> n$ring \\[label=\"1\"\\];\$" '... and its pointer'
like "$out" "^	n$ring -> n$data \\[label=\"100\"\\];\$" '... and those behind'
printf '%s\n' "$out" >all.dot
run memusageprint --to=dot --threshold=20 kept.mur
unlike "$out" 'global_block' 'the threshold leaves out what retains little'
like "$out" 'ring in holder_roots' '... and not what retains much'
like "$out" 'places and roots retain less than 20 %' '... and says so'
if command -v dot >/dev/null 2>&1; then
	ok 'graphviz draws it' dot -Tsvg -o all.svg all.dot
	num "$(grep -c '<title>ring\|class="node"' all.svg)" -ge 10 '... with its nodes'
else
	skip 'no graphviz' 2
fi

# ---- documents -----------------------------------------------------------------------------------

for python in /usr/bin/python3 python3; do
	"$python" -c 'import jsonschema' 2>/dev/null && break
	python=
done
if [ "$python" ]; then
	is "$("$python" "$MU_SRC/tests/lib/json_schema.py" validate "$MU_SRC/docs/json.schema.json" \
		graph.json 2>&1)" '' 'the graph is as its schema says'
else
	skip 'no jsonschema for python3'
fi
run memusage -q --record=without.mur holder_roots </dev/null
run memusageprint --to=graph without.mur
is "$status" 1 'a recording without it is refused'
like "$err" 'was not examined: that is done by memusage --holders' '... with what to do'
done_testing
