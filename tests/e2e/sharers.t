#!/bin/sh
# sharers.t -- a process that shares its memory with another one, without being its thread, goes on
# when the process that is recorded in this memory has ended or has executed another program.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin sharers memusageprint
need_libdw

# The shell keeps the collector alive, as a process whose image takes the next slot.
export try='sharers "$1" 3>said; i=0
	while [ ! -s said ] && [ $i -lt 60 ]; do /bin/true; sleep 0.05; i=$((i + 1)); done; cat said'

kinds='ends killed executes quiet hidden vfork'
[ "$(uname -m)" = x86_64 ] && kinds="$kinds instruction copy"

while read -r options; do
	for how in $kinds; do
		rm -rf ./*.mur ./*.massif ./*.dhat said
		# shellcheck disable=SC2086
		run memusage $options sh -c "$try" sh "$how"
		is "$status" 0 "$how, ${options:-without options}: the program ends"
		printf '%s\n' "$err" >report.txt
		is "$out" 'went on' '... and the other process has gone on to its own end'
	done
	case $options in
	*record*) run memusageprint --top run.mur ;;
	*massif*) run grep -c '^snapshot=' run.massif ;;
	*dhat*) run grep -c '^,"pps":' run.dhat ;;
	*) run grep -c 'Memory usage summary' report.txt ;;
	esac
	is "$status" 0 "${options:-without options}: there is a recording"
done <<END

--data=run.dat -m
--sample=1K --record=run.mur
--record=run.mur
--durable --record=run.mur
--massif --massif-out-file=run.massif
--dhat --dhat-out-file=run.dhat
END

# ---- where the collector cannot look into the processes

if has_users; then
	# shellcheck disable=SC2016
	run as_user env "try=$try" sh -c 'cd "$1" && rm -f said && memusage -o report sh -c "$try" sh hidden' sh \
		"$user_dir"
	is "$status,$out" '0,went on' 'another user, whose processes only root may read: it goes on'
	like "$(cat "$user_dir/report")" 'sharers: .* calls: ' '... and there is a recording'
else
	skip "$no_users" 2
fi
if unshare -pf --kill-child true 2>/dev/null; then
	rm -f said
	run unshare -pf --kill-child memusage -o report sh -c "$try" sh ends
	is "$status,$out" '0,went on' 'a /proc of another namespace: it goes on'
	like "$(cat report)" 'sharers: .* calls: ' '... and there is a recording'
else
	skip 'no namespaces here' 2
fi

done_testing
