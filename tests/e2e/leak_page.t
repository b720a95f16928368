#!/bin/sh
# leak_page.t -- the view "Leak check" of the HTML page has the sums of the text, by each grouping each
# block once, and what became of blocks that earlier checks called lost.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusagestat leak_hidden leak_requests
need_page
need mkfifo node
need_tracing
PATH=$WORKLOADS:$PATH

# rows [GROUP]: the sums of the view, then its places
rows() {
	node "$MU_SRC/tests/lib/page_losses.mjs" "$MU_SRC" kept.html "$@"
}
# add_up: the sums of all places but the first line, as that line has them
add_up() {
	sed 1d | tr ' ' '\n' | awk -F'[=/]' '
		NF == 3 { bytes[$1] += $2; blocks[$1] += $3 }
		END {
			n = split("reachable possible indirect definite called freed found with", name, " ")
			printf "all"
			for (i = 1; i <= n; i++)
				if (blocks[name[i]])
					printf " %s=%d/%d", name[i], bytes[name[i]], blocks[name[i]]
			print ""
		}'
}

# ---- freed after all ----------------------------------------------------------------------------

begin_steps memusage -q --leak-check=full -o end.log --record=run.mur leak_hidden
program=$(pids leak_hidden "$launcher" | head -1)
await_input
ask() { memusage --pid="$program" leak_check summary any 2>/dev/null; }
ask >/dev/null
step
ask >/dev/null
step
step
end_steps
run memusagestat --html=kept.html run.mur
is "$status" 0 'a page is made' || diag "$err"
is "$(leak_sums end.log)" '800/25 0/0 0/0 0/0' 'something was lost'
is "$(rows | head -1)" 'all definite=800/25 called=5440/255 freed=4640/230' \
	'the view has it, and what was freed after all'
# The first check that is kept is the last one before: 20 of the hidden blocks and the 30 were lost.
is "$(rows | sed 1d | sort)" "$(printf '%s\n' 'hide -320 called=3200/200 freed=3200/200' \
	'lose 0 definite=800/25 called=800/25' 'use -1440 called=1440/30 freed=1440/30')" '... by place'
for group in line function file object; do
	is "$(rows $group | add_up)" "$(rows $group | head -1)" "... by $group, each block once"
done

# ---- several checks -----------------------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
	memusage -q --leak-check=full -o report --record=kept.mur leak_requests 2>told
	run memusagestat --html=kept.html kept.mur
	is "$status" 0 'a page of several checks'
	awk '/HEAP SUMMARY/ { is_end = 1 } is_end' report >end
	is "$(rows | head -1 | tr ' ' '\n' | sed -n 's/^definite=//p')" "$(leak_sums end | cut -d' ' -f1)" \
		'... is about the last one'
	is "$(rows line | awk 'NR > 1 { sum += $2 } END { print sum }')" 30 'it has what was lost since the first'
else
	skip "requests of Valgrind's macros are served on x86-64 only" 3
fi

# ---- none ---------------------------------------------------------------------------------------

ok 'a run without a check' memusage -q --html=kept.html true
unlike "$(cat kept.html)" '"leaks":' '... has no such view'
done_testing
