#!/bin/sh
# collector_killed.t -- a collector that is killed is replaced, and what it knew of processes that
# still live is lost for none of them; once memusage has returned there is nobody to replace it,
# but the process goes on, and root can still look at it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint live

# The collector of this directory.
collector() {
	for one in $(pids memusage-collec); do
		[ "$(readlink "/proc/$one/cwd")" = "$PWD" ] && echo "$one"
	done
}
start() {
	rm -f in out && mkfifo in out
	memusage -o report "$@" sh -c 'echo $$ >pid; exec live' <in >out 2>err &
	job=$!
	exec 3>in 4<out
	tell alloc 10 1000
	pid=$(cat pid)
}
tell() {
	echo "$*" >&3
	read -r _ <&4
}
end() {
	exec 3>&- 4<&-
	wait "$job"
}
# The collector dies, and another one is there.
strike() {
	old=$(collector)
	kill -9 "$old"
	for _ in $(seq 1000); do
		new=$(collector)
		[ -n "$new" ] && [ "$new" != "$old" ] && memusage "--pid=$pid" status >status 2>/dev/null &&
			return
		sleep 0.05
	done
	return 1
}
# sh slay LAUNCHER: its collector is killed, and the next one is there. Not to be recorded itself.
cat >slay <<'END'
all() { "$MU_SRC/tests/lib/pids" memusage-collec "$1"; }
old=$(all "$1")
kill -9 $old
for _ in $(seq 600); do
	# The killed one is there until the launcher has noticed.
	[ -n "$(all "$1" | grep -vx "$old")" ] && exit
	sleep 0.1
done
exit 1
END
field() { sed -n "s/^$1=//p" "$2"; }

for how in '' --massif; do
	# shellcheck disable=SC2086
	start $how --massif-out-file=profile
	strike
	is $? 0 "killed ($how): another one answers"
	like "$(cat status)" '^heap: 9.77 KiB live' '... and knows what was before'
	tell alloc 5 1000
	strike
	is $? 0 '... so also the third'
	tell free 3
	end
	is $? 0 '... the program has noticed nothing'
	recorded '... its report'
	is "$(report_field malloc calls),$(report_field malloc bytes)" 15,15000 '... has all of it'
	is "$(report_field free calls)" 3 '... all'
	like "$(cat report)" '^memusage: the collector \(process [0-9]+\) was killed by signal 9, and replaced' \
		'... and says so'
	unlike "$(cat report)" '^memusage: process .*: live' '... the program is the program'
done
is "$(field mem_heap_B profile | sort -n | tail -1)" 15000 'its profile has all of it, too'

start --record=kept.mur
strike
end
run memusageprint --to=json kept.mur
like "$out" '"total_bytes":10000' 'a recording'
start --snapshot-signal=USR2 --snapshot-file='s.%n'
kill -USR2 "$pid"
ok 'a snapshot' until_true test -s s.1
strike
kill -USR2 "$pid"
end
ok 'snapshots go on' test -s s.2 -o -s s.1
like "$(cat report)" 'replaced: .*earlier snapshots are not listed$' '... what is no longer known is said'

# ---- children, before and after

run memusage -o report sh -c 'sh -c "exit 3"; LD_PRELOAD= sh slay $PPID
	live </dev/null; live </dev/null; exit 5'
is "$status" 5 'a tree of processes'
is "$(grep -c '^memusage: process [0-9]* live' report)" 2 '... those that come later are recorded'
recorded '... and the first'

# images FILE: how many a kept recording has (mu_segment.slot_count)
images() { od -An -tu4 -j20 -N4 "$1" | tr -d ' '; }
# What had ended before is not lost: neither its line, nor its image.
rm -f kept.mur
run memusage -o report --record=kept.mur --tree sh -c 'sh -c "exit 3"; live </dev/null
	sh -c "exec live </dev/null"; LD_PRELOAD= sh slay $PPID
	live </dev/null; LD_PRELOAD= sh slay $PPID; exit 6'
is "$status" 6 'a tree of processes whose collector dies twice'
is "$(grep -c '^memusage: process [0-9]* live' report)" 3 '... processes of before have their lines'
like "$(cat report)" 'was killed by signal 9, and replaced: resident memory is known only from then on$' \
	'... and nothing but that is missing'
like "$(cat report)" '^memusage: process [0-9]+ sh: .*, calls: [1-9]' '... the program is the program'
is "$(images kept.mur)" "$(awk '/^memusage: process [0-9]+ |^Memory usage/ { n++ }
	/ more process/ { n += $2 } END { print n }' report)" '... all images are in the recording'
like "$(cat report)" '[0-9]%  ' '... and there is a tree'

# An older recording of that name is no part of this run.
run memusage -q --record=old.mur live </dev/null
run memusage -o report --record=old.mur sh -c 'LD_PRELOAD= sh slay $PPID'
run memusageprint --to=json old.mur
unlike "$out" '"command":"live' 'what an older recording of that name held is gone'

# ---- again and again

cat >strikes <<'END'
for i in 1 2 3; do
	sh slay $PPID || exit 8
done
kill -9 $("$MU_SRC/tests/lib/pids" memusage-collec "$PPID")
exit 7
END
run memusage -o report sh strikes
is "$status" 7 'whatever kills each of them: the status is the program'"'"'s'
like "$err" 'the collector has died: there is no report' '... and memusage gives up'

# ---- it cannot be replaced: the launcher may make no process more

# as_user COMMAND...: as one whose processes the kernel counts; root's are not bounded.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=64123 --regid=64123 --clear-groups --inh-caps=-all "$@"
	else
		"$@"
	fi
}
cat >orphan <<'END'
old=$("$MU_SRC/tests/lib/pids" memusage-collec "$PPID")
[ -n "$old" ] || exit 9
prlimit --pid "$PPID" --nproc=0:0 || exit 10
kill -9 "$old"
# Reaped: the launcher knows.
while [ -e "/proc/$old" ]; do
	sleep 0.1
done
echo went on >went-on
[ "$1" = signal ] && kill -TERM $$
exit 7
END
if ! command -v prlimit >/dev/null || ! command -v setpriv >/dev/null; then
	skip 'no prlimit or setpriv here' 9
elif ! as_user test -x "$(command -v memusage)"; then
	skip 'another user cannot reach this build' 9
else
	mkdir -m 777 user
	cp orphan user
	cd user || exit
	run as_user env -u XDG_RUNTIME_DIR TMPDIR="$PWD" memusage -o report sh orphan
	is "$status" 7 'the collector cannot be replaced: the status is the program'"'"'s'
	is "$(cat went-on)" 'went on' '... which was waited for'
	like "$err" '^memusage: the collector \(process [0-9]+\) was killed and cannot be replaced: ' \
		'... and memusage says why'
	killed=$(printf '%s\n' "$err" | sed -n 's/.*collector (process \([0-9]*\)) was killed.*/\1/p')
	like "$err" "Find out what killed process $killed " '... what is gone by its number'
	is "$(find . -name '*.sock')" '' \
		'... its socket is removed'
	rm -f went-on
	run as_user memusage -o report sh orphan signal
	is "$status" 143 '... the signal too'
	is "$(cat went-on)" 'went on' '... of a program that was waited for'
	rm -f went-on
	run as_user env TMPDIR="$PWD" memusage -q -p run.png sh orphan
	is "$status" 7 '... with a picture that nobody draws'
	is "$(cat went-on)" 'went on' '... all the same'
	cd ..
fi

# ---- nobody is left to replace it

rm -f in out && mkfifo in out
run memusage -q --record=d.mur sh -c 'setsid live <in >out 2>/dev/null & echo $! >pid'
exec 3>in 4<out
tell alloc 10 1000
pid=$(cat pid)
kill -9 "$(collector)"
tell alloc 10 1000
ok 'a daemon goes on' kill -0 "$pid"
run memusage -q "--pid=$pid" detailed_snapshot orphan
if [ "$status" = 0 ]; then
	is "$(field mem_heap_B orphan)" 20000 'root can look at it'
	like "$(cat orphan)" 'n[0-9]*: 20000 0x[0-9A-F]*: keep \(([^ ]*/)?live.c:' '... with names'
	run memusage "--pid=$pid" status
	like "$out" '^heap: 19.5 KiB live' '... status'
else
	like "$err" 'its collector is gone: only root' 'others are told that they cannot'
	skip 'not root' 2
fi
exec 3>&- 4<&-

# ---- one of two is stopped: the other is asked beside it

rm -f in out && mkfifo in out
run memusage -q --record=d.mur sh -c 'setsid live <in >out 2>/dev/null & echo $! >pid'
exec 3>in 4<out
tell alloc 10 1000
pid=$(cat pid)
mkdir two && cd two && mkfifo in out
run memusage -q --record=e.mur sh -c 'setsid live <in >out 2>/dev/null & echo $! >../stopped'
exec 5>in 6<out
echo alloc 10 1000 >&5
read -r _ <&6
other=$(collector)
cd ..
kill -STOP "$other"
run memusage "--pid=$pid" status
is "$status" 0 'a collector that is stopped keeps nobody from another'
from=$(date +%s%N)
run memusage "--pid=$(cat stopped)" status
recorded=$(($(date +%s%N) - from))
if [ "$status" = 0 ]; then
	like "$out" '^heap: ' 'root can look at what a stopped one records'
else
	like "$err" 'its collector did not answer for 10 seconds' 'others hear that it does not answer'
fi
sleep 1000 &
from=$(date +%s%N)
run memusage --pid=$! status
unrecorded=$(($(date +%s%N) - from))
kill $!
like "$err" 'does not run under memusage' 'a process that is not recorded is said to be that'
ok "... sooner: $unrecorded ns, not $recorded" [ "$unrecorded" -lt "$recorded" ]
kill -CONT "$other"
run memusage "--pid=$(cat stopped)" status
is "$status" 0 'it answers when it goes on'
exec 3>&- 4<&- 5>&- 6<&-
done_testing
