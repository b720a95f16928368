#!/bin/sh
# holders.t -- memusage --holders and --pid=PID holders: what a variable is said to retain is what
# clearing it frees, to the byte; each kind of root is found; sums count nothing twice.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/holders.sh"
need_bin memusage memusageprint
need_libdw
command -v jq >/dev/null || skip_all "jq is not installed"
PATH=$WORKLOADS:$PATH

# root KIND NAME: bytes that a root retains, by kept.json
root() {
	jq --arg kind "$1" --arg name "$2" '.holders[-1] as $h | $h.retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.root != null and
			$h.roots[$r.root].kind == $kind and
			# clang puts the name of the function before that of its variable.
			($h.roots[$r.root].name | . == $name or endswith("." + $name))) |
		$t[$i].bytes] | add // 0' kept.json
}
# set NAME ...: bytes that just these roots hold together; none: more than can be named
set_of() {
	jq '.holders[-1] as $h | $h.retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.set != null and
			([($h.sets[$r.set] // [])[] | $h.roots[.].name] | sort) == $ARGS.positional) |
		$t[$i].bytes] | add // 0' kept.json --args "$@"
}
# freed NAME: what the program says that clearing it has freed
freed() {
	sed -n "s/^$1 frees //p" printed
}

# ---- containers -----------------------------------------------------------------------------

if [ -x "$WORKLOADS/holders" ]; then
	start_held holders wait
	run memusage --pid=$launcher holders
	is "$status" 0 'holders of a running process'
	like "$out" '^70\.[0-9]% of the live heap of .* are held by cache in holders$' \
		'the answer comes first'
	like "$out" '20,000 x std::_Rb_tree_node<std::pair<int const, std::shared_ptr<Item>>> at fill' \
		'places have the types of the standard library'
	like "$out" 'each of: by_name in holders; cache in holders' 'roots that hold together'
	run memusage --pid=$launcher holders kept.mur
	is "$status" 0 'holders FILE'
	go_on
	is $? 0 'the program is unharmed'
	memusageprint --to=json kept.mur >kept.json
	is "$(root global cache)" "$(freed cache)" 'cache retains what clearing it frees'
	is "$(($(root global by_name) + $(set_of by_name cache)))" "$(freed by_name)" \
		'by_name retains what clearing it then frees, with what was shared'
	is "$(root global lines)" "$(freed lines)" 'a static variable'
	is "$(root thread-local shapes)" "$(freed shapes)" 'a thread-local one'
	is "$(jq '[.holders[0].retained[].bytes] | add' kept.json)" \
		"$(jq '[.holders[0].shortest[].bytes] | add' kept.json)" 'both trees have all blocks'
	is "$(jq '[.holders[0].retained[].bytes] | add' kept.json)" \
		"$(jq '[.sites[].live_bytes] | add' kept.json)" '... which are those that are live'
	is "$(jq -r '.holders[0].retained[] | select(.type == "Circle") | .blocks' kept.json)" 500 \
		'classes are known by their virtual functions'
	run memusageprint --threshold=0.1 --holders=20 kept.mur
	like "$out" '27.4 KiB .* shapes in holders, thread-local of the main thread' \
		'... and in the text'
	like "$out" '500 x Circle at fill \(holders.cc' '... with the class'
	run memusage -o report --holders holders keep
	is "$status" 0 '--holders at the end'
	like "$(cat report)" '70\.[0-9]% .* held by cache' '... before destructors have run'
	out=$(memusage -o report --holders holders)
	unlike "$(cat report)" 'cache' 'what was cleared is not there'
else
	skip 'no C++ compiler'
fi

# ---- kinds of roots ---------------------------------------------------------------------------

start_held holder_roots
run memusage --pid=$launcher holders kept.mur
is "$status" 0 'holders of a C program'
go_on
memusageprint --to=json kept.mur >kept.json
is "$(root global global_block)" 10001 'a global variable'
is "$(root global ring)" $((100 * (24 + 1000))) 'a ring, whose links hold each other'
is "$(root global hidden)" 60006 'a static variable of a function'
is "$(root thread-local local_block)" $((20002 + 30003)) 'a thread-local variable of two threads'
is "$(jq '[.holders[0].roots[] | select(.name == "local_block") | .thread] | unique | length' \
	kept.json)" 2 '... which are two roots'
is "$(root global many)" $((7 * 1001)) 'an array is one root, and holds nothing twice'
is "$(set_of first_of_two second_of_two)" 40004 'what two hold neither has'
is "$(root global first_of_two)" 0 '... alone'
is "$(set_of)" 50005 'what five hold'
is "$(root lost '')" 80098 'what nothing holds, with what that holds'
is "$(jq '.holders[0] as $h | [$h.retained[] | select(.root != null and
	$h.roots[.root].kind == "mapping" and $h.roots[.root].size >= 1048576)] | length' kept.json)" \
	1 'a mapping'
run memusageprint --threshold=0 --holders=40 kept.mur
like "$out" '10.8 KiB .* a mapping of 1.0[01] MiB' '... has its block'
like "$out" '68.4 KiB .* the stack of thread' 'the stack of a thread'
like "$out" '78.2 KiB .* nothing: they are lost' 'lost blocks'
is "$(jq '[.holders[0].retained[].bytes] | add' kept.json)" \
	"$(jq '[.sites[].live_bytes] | add' kept.json)" 'all together are the live bytes'
manual=$(sed -n '/^\.SH JSON/,/^\.SH EXIT/p' "$MU_SRC/man/memusageprint.1" | tr -s ' ,;:~\\()' '\n')
is "$(jq -r '.holders | [paths | .[-1] | strings] | unique | .[]' kept.json |
	while read -r member; do
		printf '%s\n' "$manual" | grep -qx "$member" || echo "$member"
	done)" '' 'the manual names all members'

# ---- what has no answer -----------------------------------------------------------------------

run memusage --quiet --record=without.mur holder_roots </dev/null
run memusageprint --holders without.mur
is "$status" 1 'a recording without it is refused'
like "$err" 'was not examined: that is done by memusage --holders' '... with what to do'
run memusage --holders --children=merge echo ran
is "$status$out" 125 'a merge has no holders, which is said before the program runs'
run memusage --holders --sample holder_roots
is "$status" 125 'samples are refused'
run memusage -o report --holders sh -c 'holder_roots </dev/null; exit 3'
is "$status" 3 'several processes'
like "$(cat report)" 'live at the end, held by process .*holder_roots' '... the one with most is shown'
run memusage -o report --holders sh -c 'kill -9 $$'
is "$status" 137 'a killed program'
like "$(cat report) $err" 'not examined' '... has not been examined'
done_testing
