#!/bin/sh
# leak_freed.t -- a later leak check tells which of the blocks that earlier ones called lost were freed
# after all, by whomever the checks were made.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint leak_hidden
need_libdw
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

begin() {
	begin_steps "$@"
	program=$(pids leak_hidden "$launcher" | head -1)
	await_input
}
# fates FILE: bytes/blocks of what was called lost, was freed, is no longer lost; nothing if the report
# does not say
fates() {
	tr -d ',' <"$1" |
		sed -n -e '/FREED AFTER ALL/,$s/.*: \([0-9]*\) bytes in \([0-9]*\) blocks$/\1\/\2/p' |
		head -3 | paste -sd' '
}

begin memusage -q --leak-check=full -o end.log --record=run.mur leak_hidden
ask() { memusage --pid="$program" leak_check "$@" 2>/dev/null; }
ask full any >first.log
is "$(leak_sums first.log | cut -d' ' -f1)" '4000/225' 'hidden blocks seem lost, as lost ones do'
is "$(fates first.log)" '' '... and nothing else is known yet'
ask full any >again.log
is "$(fates again.log)" '' 'as long as nothing happens to them, nothing is said'
step
ask full any >second.log
is "$(fates second.log)" '4000/225 2880/180 0/0' 'what is freed or reallocated was not lost'
like "$(cat second.log)" '^==[0-9]+== 2,880 bytes in 180 blocks were called lost, and freed since$' \
	'... and the report says of which place'
like "$(sed -n '/and freed since/,$p' second.log)" 'by 0x[0-9A-F]+: hide \(leak_hidden\.c:[0-9]+\)$' \
	'... by its stack'
unlike "$(sed -n '/FREED AFTER ALL/,$p' second.log)" ' lose \(leak_hidden' '... and of no other'
is "$(leak_sums second.log | cut -d' ' -f1)" '2560/75' '... the others are still lost'
memusage --pid="$program" leak_check full any 2>pipe.err | true
is "$(cat pipe.err)" '' 'a reader that is gone is no error'
ask summary any >summary.log
is "$(fates summary.log)" '5440/255 2880/180 0/0' 'a summary has the sums'
unlike "$(cat summary.log)" 'and freed since' '... only'
step
ask full any ./kept.mur
memusageprint --leak-check kept.mur >third.log
is "$(fates third.log)" '5440/255 2880/180 1760/50' 'what a pointer leads to now is not lost either'
is "$(leak_sums third.log)" '800/25 0/0 0/0 1760/50' '... and the lost ones stay'
step
end_steps
is "$(fates end.log)" '5440/255 4640/230 0/0' 'the check at the end says so, too'
is "$(leak_sums end.log)" '800/25 0/0 0/0 0/0' '... and what was really lost'
memusageprint --to=json run.mur >run.json
if command -v jq >/dev/null; then
	is "$(jq -r '.. | .leak_checks? // empty | .[-1].earlier[] | "\(.fate) \(.bytes)/\(.blocks)"' \
		run.json | sort | paste -sd' ')" \
		'called_lost 1440/30 called_lost 3200/200 called_lost 800/25 freed 1440/30 freed 3200/200' \
		'JSON has it by site'
else
	skip 'jq is not installed' 1
fi
done_testing
