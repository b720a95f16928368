#!/bin/sh
# launcher_signals.t -- signals and the terminal's keys work as without memusage, and whatever is
# killed, the rest goes on.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin terminal
ulimit -c 0

# The collector stays in the directory it was started in.
no_collectors() {
	for collector in $(pids memusage-collec); do
		[ "$(readlink "/proc/$collector/cwd")" != "$PWD" ] || return 1
	done
}

# A program that catches a signal, says so and ends.
# shellcheck disable=SC2016
catcher='trap "echo caught; exit 9" $0; echo ready; while :; do sleep 0.1; done'

# ---- signals that are sent to memusage alone
# INT and QUIT are ignored in what a shell runs in the background.
for signal in HUP TERM USR1 USR2 ALRM WINCH; do
	rm -f out
	memusage -o report sh -c "$catcher" $signal >out &
	pid=$!
	until_true grep -q ready out
	kill -$signal $pid
	wait $pid
	is $? 9 "$signal reaches the program"
	like "$(cat out)" caught "the program catches $signal"
done
recorded 'a program that catches signals'
memusage -o report perl -e 'mkdir "ready"; sleep 1000' &
pid=$!
until_true test -e ready
kill -TERM $pid
wait $pid
is $? 143 'a program that dies of TERM'
recorded 'and is reported all the same'

# ---- what an exec keeps, or the program has for its parent
run perl -e 'alarm 1; exec @ARGV' memusage -o report perl -e 'sleep 1000'
is "$status" 142 'an alarm that was set before ends the program'
recorded 'which is reported'
cat >parent <<'END'
trap 'echo told' USR1
memusage -o report sh -c 'kill -USR1 $PPID; ls / >/dev/null; sleep 0.2' &
wait $!
wait
END
run sh parent
like "$out" told 'a signal to its parent reaches the parent that it would have alone'
mkfifo pipe
memusage -o report sh -c 'exec 7>&-; until test -e over; do sleep 0.1; done' 7>pipe &
run timeout 60 cat pipe
is "$status" 0 'a pipe that the program closes has its end then'
: >over
wait $!
memusage -q --massif --massif-out-file=/dev/fd/7 ls / 7>by-number >/dev/null
like "$(cat by-number)" '^mem_heap_B=' 'a file that is named by its descriptor is written'

# ---- the terminal
with_terminal() {
	run terminal ready ^C -- memusage sh -c "$catcher" INT
	is "$status" 9 'Ctrl-C reaches the program'
	like "$out" 'caught$' 'which catches it'
	like "$out" 'Memory usage summary' 'and is reported'
	run terminal READY ^C -- memusage perl -e '$| = 1; print "READY\n"; sleep 1000'
	is "$status" 130 'Ctrl-C ends a program that does not'
	like "$out" 'Memory usage summary' 'with a report'
	if command -v bash >/dev/null; then
		printf 'PS1="> "\n' >rc
		waits='until test -e go; do sleep 0.1; done'
		run terminal '> ' "memusage sh -c 'echo re''ady; $waits; echo the-end; exit 7'^M" \
			ready ^Z Stopped "jobs; : >go; fg^M" Stopped '' the-end '' '> ' 'echo status=$?^M' \
			status= 'exit^M' -- bash --rcfile rc -i
		like "$out" 'Stopped.*memusage' 'Ctrl-Z stops the job'
		like "$out" '^the-end' 'fg goes on with it'
		like "$out" 'status=7' 'the status comes through'
		run terminal '> ' "memusage -q sh -c 'kill -TSTP \$\$; echo resu''med'^M" \
			Stopped 'fg^M' resumed '' '> ' 'exit^M' -- bash --rcfile rc -i
		like "$out" '^resumed' 'a program that stops itself gives the terminal back'
	else
		skip 'no bash here' 4
	fi
}
# A container, or a chroot, may have none.
if grep -q ' devpts ' /proc/self/mounts; then
	with_terminal
else
	skip 'no pseudo-terminals here (devpts is not mounted)' 9
fi

rm -f begun
memusage -q sh -c ': >begun; until test -e further; do sleep 0.1; done; : >ended; exit 6' &
pid=$!
until_true test -e begun
program=$(pids sh "$pid")
kill -STOP "$program"
: >further
sleep 1
nok 'a program stopped from elsewhere stands still' test -e ended
kill -CONT "$program"
wait $pid
is $? 6 '... and continued'

# ---- who is killed
run memusage -o report -d data.dat sh -c 'ls / >/dev/null; kill -9 $$'
is "$status" 137 'SIGKILL of the program'
recorded 'it is'
num "$(wc -c <data.dat)" -gt 480 'its data are there'
is "$(od -An -tx8 -N8 data.dat | tr -d ' ')" 00003156736e554d 'with their tag'
isnt "$(od -An -tu8 -j24 -N8 data.dat | tr -d ' ')" 0 'and a peak in the header'

# shellcheck disable=SC2016
run memusage -o report -d data.dat sh -c 'kill -9 $PPID; sleep 0.3; ls / >/dev/null; : >after'
is "$status" 137 'SIGKILL of the launcher'
ok 'the program goes on' until_true test -e after
ok 'its report is written' until_true no_collectors
recorded 'it'
like "$(cat report)" '^memusage: process [0-9]+ ls' 'and its children'
isnt "$(od -An -tu8 -j24 -N8 data.dat | tr -d ' ')" 0 'its data are complete'

rm -f data.dat after
# shellcheck disable=SC2016
run memusage -d data.dat sh -c 'ls / >/dev/null
	kill -9 $("$MU_SRC/tests/lib/pids" memusage-collec "$PPID")
	ls / >/dev/null; : >after; exit 3'
is "$status" 3 'SIGKILL of the collector does not change the status'
ok 'the program goes on' test -e after
like "$err" 'the collector \(process [0-9]+\) was killed by signal 9, and replaced' 'which is said'
num "$(wc -c <data.dat)" -ge 48 'the data file can be read'
if has_program memusagestat; then
	run memusagestat data.dat graph.png
	is "$status" 0 'by memusagestat'
else
	skip 'this build has no memusagestat'
fi

# shellcheck disable=SC2016
run memusage -o report -d data.dat sh -c 'ls / >/dev/null
	kill $("$MU_SRC/tests/lib/pids" memusage-collec "$PPID"); sleep 0.3; ls / >/dev/null; exit 3'
is "$status" 3 'SIGTERM of the collector'
recorded 'what was there is written'
isnt "$(od -An -tu8 -j24 -N8 data.dat | tr -d ' ')" 0 'the data file is finished'

# ---- a signal before the program runs
mkdir folders
killed=$(TMPDIR=$PWD/folders perl -e 'delete $ENV{XDG_RUNTIME_DIR};
	for (1 .. 150) {
		my $launcher = fork() // die;
		exec "memusage", "-q", "-o", "report", "true" or die if $launcher == 0;
		select undef, undef, undef, rand 0.015;
		kill TERM => $launcher;
		waitpid $launcher, 0;
		$killed++ if ($? & 127) == 15;
	}
	print $killed' 2>/dev/null)
num "$killed" -gt 0 'SIGTERM at any time'
no_folders() { rmdir folders; }
ok 'no folder stays' until_true no_folders

# ---- nothing stays behind
ok 'no collector stays' until_true no_collectors

# ---- PID 1 of a container waits for all
if unshare -pf --mount-proc true 2>/dev/null; then
	rm -f late
	run unshare -pf --mount-proc memusage -o report sh -c \
		'(sleep 0.5; ls / >/dev/null; : >late) & exit 5'
	is "$status" 5 'as PID 1: the status is the program'"'"'s'
	ok 'it waits for the rest' test -e late
	like "$(cat report)" '^memusage: process [0-9]+ ls: heap total' 'which is in the report'
	run unshare -pf --mount-proc memusage -q sh -c 'kill -9 $$'
	is "$status" 137 'as PID 1 it cannot die of the signal'
	run memusage -o report unshare -pf --mount-proc sh -c 'ls /; exit 4'
	is "$status" 4 'a container inside'
	like "$(cat report)" '^memusage: process [0-9]+ ls: heap total' \
		'its processes are told apart'
else
	skip 'no namespaces here' 6
fi
done_testing
