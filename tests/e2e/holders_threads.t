#!/bin/sh
# holders_threads.t -- what a thousand threads hold alike is one line of --holders, of the page and of
# the graph, with the sum; a second report compares them as one; JSON has each thread.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint memusagestat threads_hold
need_libdw
need_tracing
need_machine x86_64 'snapshots are for x86_64'
need jq mkfifo
PATH=$WORKLOADS:$PATH

# begin WORKERS: run it recorded
begin() {
	begin_steps memusage -q --top -o whole threads_hold "$1"
	program=$(pids threads_hold "$launcher" | head -1)
	await_input
}
# ask: what holds the blocks now, as text and kept.json
ask() {
	run memusage --pid="$program" holders kept.mur
	is "$status" 0 "asked for the holders"
	memusageprint --to=json kept.mur >kept.json
	run memusageprint --holders=20 --threshold=0 kept.mur
	printf '%s\n' "$out" >text
}
# has LINE TITLE: a line of the text is that, with single blanks
has() {
	like "$(tr -s ' ' <text)" "^ ?$1\$" "$2"
}
line=$(grep -n 'wait_for_step(step);' "$MU_SRC/tests/workloads/threads_hold.c" | cut -d: -f1)
in_work="in work \\(threads_hold\\.c:$line\\)"

# ---- six workers --------------------------------------------------------------------------------

begin 6
ask
# 6 x 10,000, and 8 x (0 + 1 + ... + 5) bytes.
has "58.7 KiB [0-9.]+% 6 the stacks of 6 threads, $in_work, each retains 9.77 KiB to 9.80 KiB" \
	'the frames of six threads are one line, with the sum'
is "$(sed '/ found /,$d' text | grep -c 'the stack of thread.*in help')" 3 '... those of three are three'
has '2.93 KiB [0-9.]+% 6 own in threads_hold, thread-local of 6 threads, each retains 500 B' \
	'so are instances of a thread-local variable'
has '17.6 KiB [0-9.]+% 6 each of: list in threads_hold; listed in threads_hold, thread-local of some of 6 threads' \
	'... also where another root holds the same blocks'
is "$(jq '[.holders[0].roots[] | select(.kind == "stack" and .name == "work").thread] | unique |
	length' kept.json)" 6 'JSON has each thread'
is "$(jq '[.holders[0].retained[].bytes] | add' kept.json)" \
	"$(jq '[.sites[].live_bytes] | add' kept.json)" '... and all blocks'
memusageprint --to=dot --threshold=0 kept.mur >graph
is "$(grep -c 'label="the stacks of 6 threads' graph)" 1 'one node of the graph'
unlike "$(cat graph)" 'the stack of thread [0-9]+, in work' '... for all'
n=$(sed -n 's/^	\(n[0-9]*\) \[label="the stacks of 6 threads.*/\1/p' graph)
like "$(cat graph)" "^	$n -> n[0-9]+ \\[label=\"6\"\\]" '... with the pointers of all'

# ---- growth -------------------------------------------------------------------------------------

step
ask
has "23.4 KiB [0-9.]+% \\+6 the stacks of 6 threads, $in_work, each retains 13.7 KiB to 13.7 KiB" \
	'a second report says what all of them gained'
unlike "$(sed -n '/gained/,$p' text)" ', in help|own in threads_hold' '... and of the others nothing'
if has_page "$MU_BUILD" && command -v node >/dev/null; then
	memusagestat --html=kept.html kept.mur
	node "$MU_SRC/tests/lib/page_holding.mjs" "$MU_SRC" kept.html >rows
	like "$(cat rows)" "^1 84120 0 24000 0 0 \\|the stacks of 6 threads, $in_work, each" \
		'the page has one row for all'
	like "$(cat rows)" '^1 3000 18000 0 0 0 \|own|^1 3000 0 0 0 0 \|own in threads_hold, thread' \
		'... and for the variable'
	is "$(awk '{ sum += $5 } END { print sum }' rows)" \
		"$(jq '[.holders[-1].retained[].bytes] | add' kept.json)" '... each block once'
else
	skip 'no page, or no node' 3
fi
end_steps
is $? 0 'the program is unharmed'

# ---- three workers, and a thousand --------------------------------------------------------------

begin 3
ask
is "$(sed '/ found /,$d' text | grep -c '^ .*the stack of thread [0-9]*, in work')" 3 'three threads are three lines'
end_steps
begin 1000
ask
has "13.3 MiB [0-9.]+% 1,000 the stacks of 1,000 threads, $in_work, each retains .*" \
	'a thousand are one'
like "$(cat text)" '% of the live heap of .* held by the stacks of 1,000 threads' \
	'... which is the answer of the first line'
end_steps
is $? 0 'the program is unharmed'
done_testing
