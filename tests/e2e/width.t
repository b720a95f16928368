#!/bin/sh
# width.t -- reports of places fit the terminal, break between frames and lose none; colours come on a
# terminal or when they are asked for; a file or pipe gets what it would without either.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint massif_deep massif_names massif_levels
need python3
need_libdw
unset NO_COLOR COLUMNS LC_ALL LC_CTYPE LANG
export TERM=xterm
escape=$(printf '\033')

# on_terminal COLUMNS COMMAND...: what the command shows on a terminal of that width
on_terminal() { python3 "$MU_SRC/tests/lib/terminal.py" "$@"; }
no_colours() { sed "s/$escape\[[0-9;]*m//g"; }
widest() { LC_ALL=C.UTF-8 awk '{ if (length($0) > most) most = length($0) } END { print most }' "$1"; }
# words FILE: without line ends, indents, blanks
words() { tr -d ' \n' <"$1"; }
# without_memory FILE: resident memory is never twice the same
without_memory() { sed '/of memory at most/,$d' "$1"; }

for name in deep names levels; do
	ok "massif_$name is recorded" memusage -q --record=$name.mur "$WORKLOADS/massif_$name"
done

# ---- widths ----------------------------------------------------------------------------------
for report in top tree leaks temporary; do
	memusageprint --$report --tree=total deep.mur >pipe.$report
	widths='40 80'
	[ $report != tree ] || widths='40 60 80 120 200'
	for columns in $widths; do
		on_terminal "$columns" memusageprint --$report --tree=total deep.mur | no_colours >shown
		num "$(widest shown)" -le "$columns" "--$report fits into $columns columns"
		is "$(words shown)" "$(words pipe.$report)" '... and says the same'
		memusageprint --$report --tree=total --width="$columns" deep.mur >asked
		same asked shown '... as --width does without a terminal'
		# A frame is a name and "(massif_deep.c:LINE)".
		is "$(grep -c '^ *(massif_deep' shown)" 0 '... and no frame is broken'
	done
done
memusageprint --top deep.mur >pipe
is "$(grep -c 'called by .*, .*, .*, ' pipe)" 1 'in a pipe a list of callers is one line'
for report in summary top tree leaks temporary ad-hoc marks plot; do
	memusageprint --$report levels.mur >pipe.any
	nok "--$report in a pipe has neither marks nor colours" grep -q '[[:cntrl:]]' pipe.any
done
COLUMNS=40 memusageprint --top deep.mur | without_memory - >narrow
without_memory pipe >whole
same narrow whole 'COLUMNS does not matter in a pipe'

for columns in 40 80 120; do
	for report in top tree; do
		on_terminal $columns memusageprint --$report names.mur | no_colours >shown
		num "$(widest shown)" -le $columns "names that are too long are shortened ($columns, --$report)"
		like "$(cat shown)" '\.\.\.' '... with dots'
		like "$(cat shown)" '\(massif_names.c:18\)' '... and keep their line'
	done
done

# ---- memusage --------------------------------------------------------------------------------
on_terminal 60 memusage --top --tree "$WORKLOADS/massif_deep" >shown
no_colours <shown | sed '/^memusage: /d' >plain
num "$(widest plain)" -le 60 'memusage fits its reports into the terminal'
ok '... in colour' grep -q "$escape\[" shown
on_terminal 60 memusage -q --top -o file "$WORKLOADS/massif_deep" >shown
is "$(cat shown)" '' '-o: nothing is shown'
nok '... a file has no colours' grep -q "$escape" file
like "$(cat file)" 'called by f11 .*, f10 .*, f9 .*, f8 .*, \.\.\.$' '... and whole lines'
memusage -q --top --width=60 --color=always -o file "$WORKLOADS/massif_deep"
no_colours <file >plain
num "$(widest plain)" -le 60 '--width is passed on'
ok '--color=always too' grep -q "$escape\[1m" file
on_terminal 60 memusage -q --top --color=never "$WORKLOADS/massif_deep" >shown
nok '--color=never too' grep -q "$escape" shown
on_terminal 60 memusage --record=kept.mur "$WORKLOADS/massif_deep" | no_colours >shown
like "$(cat shown)" '^memusage: memusageprint --top kept.mur shows ' '--record: what to type next'
like "$(cat shown)" '^Histogram for block sizes:' '... below the table'
# shellcheck disable=SC2016  # for the inner shell
nok '... not in a pipe' sh -c 'memusage --record=kept.mur "$1" 2>&1 | grep kept' sh "$WORKLOADS/massif_deep"
is "$(on_terminal 60 memusage -q --record=kept.mur "$WORKLOADS/massif_deep")" '' '... nor with -q'
# shellcheck disable=SC2016  # for the inner shell
on_terminal 60 memusage --top sh -c '"$1"; "$1"; :' sh "$WORKLOADS/massif_deep" | no_colours >shown
num "$(widest shown)" -le 60 'lines about processes fit as well'
is "$(grep -c '^memusage: process [0-9]* massif_deep: heap total: ' shown)" 2 '... of each'
like "$(cat shown)" '^ {10}[a-z0-9].*calls: [0-9]+' '... and are indented'
run memusage --width=19 true
is "$status" 125 'too few columns are refused'

# ---- colours ---------------------------------------------------------------------------------
for report in top tree leaks marks plot summary; do
	on_terminal 80 memusageprint --$report levels.mur >shown
	[ $report = marks ] || ok "--$report is coloured on a terminal" grep -q "$escape\[" shown
	# The summary has glibc's colours.
	[ $report = summary ] || nok '... in no colour that black or white swallows' \
		grep -qE "$escape\[[0-9;]*(3[0-467]|9[0-7])m" shown
	on_terminal 80 env NO_COLOR=1 memusageprint --$report levels.mur >plain
	nok '... not with NO_COLOR' grep -q "$escape" plain
	without_memory shown | no_colours >got
	without_memory plain >want
	same got want '... and the same text'
	on_terminal 80 env TERM=dumb memusageprint --$report levels.mur >plain
	nok '... nor on a dumb terminal' grep -q "$escape" plain
	NO_COLOR=1 memusageprint --color=always --$report levels.mur >forced
	[ $report = marks ] || ok '... --color=always colours a pipe' grep -q "$escape\[" forced
done
memusageprint levels.mur >default
on_terminal 80 memusageprint levels.mur | no_colours >shown
is "$(words shown)" "$(words default)" 'the report without an option as well'
done_testing
