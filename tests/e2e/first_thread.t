#!/bin/sh
# first_thread.t -- a process goes on when its first thread has ended: it is recorded, examined and
# reported as any other, although /proc/PID shows no memory of it, and it is not harmed.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/users.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin first_thread memusageprint
need mkfifo
need_libdw

# ---- it computes the same

while read -r options; do
	# shellcheck disable=SC2086
	profiled "${options:-without options}" $options -- first_thread work
	is "$status" 6 '... which is its own'
done <<END

--data=run.dat -m
--sample=1K --record=sampled.mur
--record=work.mur
--massif --massif-out-file=run.massif
--dhat --dhat-out-file=run.dhat
--own-malloc=patch
END
run memusageprint --top work.mur
like "$out" 'keep \(first_thread.c:[0-9]+\) allocated' 'its places are known'
like "$out" 'of memory at most' '... and its resident memory'
unlike "$(memusageprint --to=json work.mur)" '"rss_anon":0[,}]' '... to its end'
if has_users; then
	run as_user sh -c 'cd "$1" && memusage -o report --record=work.mur first_thread work' sh "$user_dir"
	is "$status" 6 'another user has its status'
	unlike "$(memusageprint --to=json "$user_dir/work.mur")" '"rss_anon":0[,}]' \
		'... and its resident memory to its end'
else
	skip "$no_users" 2
fi

# ---- one that outlives the program and its collector

mkfifo go
exec 5<>go
for mode in '-o report' '--record=orphan.mur' '--top -o report' '--durable --record=durable.mur'; do
	rm -f said
	# shellcheck disable=SC2086
	memusage $mode first_thread orphan <go 3>said 5>&- >out 2>err
	is $? 0 "$mode: the program has ended"
	echo >&5
	exec 5>&-
	turns=0
	until [ -s said ] || [ $turns = 300 ]; do
		sleep 0.1
		turns=$((turns + 1))
	done
	like "$(cat said)" '^[0-9]+ kept 200$' '... and its child goes on to its own end'
	exec 5<>go
done
exec 5<&-

# ---- examined while it runs

traces=
can_trace && traces=yes

exec 5<>go
rm -f ready
memusage -q -o report --record=wait.mur --holders first_thread wait <go >ready 5>&- &
launcher=$!
until_prints grep ready ready >/dev/null
pid=$(cat /proc/$launcher/task/$launcher/children)
for one in $pid; do
	case $(readlink "/proc/$one/exe" || :) in *memusage) ;; *) pid=$one ;; esac
done
run memusage "--pid=$pid" status
is "$status" 0 'status'
like "$out" '^heap: 49[0-9] KiB live' '... with its heap'
like "$out" '^[0-9.]* MiB of memory now' '... and its memory'
if [ "$traces" ]; then
	run memusage "--pid=$pid" holders
	like "$out" '100 x keep' 'what holds its blocks'
	run memusage "--pid=$pid" pages
	like "$out" 'heap: live blocks' 'its pages'
	run memusage "--pid=$pid" leak_check full
	like "$out" 'definitely lost: 0 ' 'a leak check'
else
	skip "processes cannot be traced here: $why" 3
fi
run memusage -q "--pid=$pid" detailed_snapshot snapshot
num "$(field mem_heap_B snapshot)" -ge 500000 'a snapshot'
exec 5>&-
wait $launcher
is $? 8 'it ends as alone'
if [ "$traces" ]; then
	run memusageprint --holders wait.mur
	like "$out" 'kept in first_thread' 'it is examined at its end'
else
	skip "processes cannot be traced here: $why"
fi

# ---- one that is not recorded

exec 5<>go
rm -f ready
first_thread wait <go >ready 5>&- &
pid=$!
until_prints grep ready ready >/dev/null
run memusage "--pid=$pid" status
like "$err" "process $pid does not run under memusage" 'one that is not recorded is said to be that'
like "$out" '^[0-9.]* [KM]iB of memory now' '... with its memory'
like "$out" 'memusage --record -- .*first_thread wait' '... and how to start it again'
exec 5>&-
wait $pid
is $? 8 '... and it ends as alone'
done_testing
