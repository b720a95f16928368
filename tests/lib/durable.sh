# durable.sh -- kill a run with --durable, memusage included, and see what is left. Source after
# tap.sh.
#
#	kill_runs N     N times: tests/workloads/tally under memusage, killed as a whole at a random
#	                moment; the recording must have every process with what it held
#	begin_whole COMMAND...  starts it in a cgroup of its own if that is possible, else in a session
#	kill_whole      kills all of it at one moment, the collector too, and waits for the end
#	cgroup          the cgroup's directory, "" without one
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

cgroup=
# A cgroup of version 2 whose processes can be killed at once (Linux 5.14).
make_cgroup() {
	parent=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$parent" ] || return 1
	parent=$parent$(sed -n 's/^0:://p' /proc/self/cgroup)
	mkdir "${parent%/}/memusage-test-$$" 2>/dev/null || return 1
	cgroup=${parent%/}/memusage-test-$$
	[ -w "$cgroup/cgroup.kill" ] && return
	rmdir "$cgroup"
	cgroup=
	return 1
}
remove_cgroup() {
	[ -z "$cgroup" ] || rmdir "$cgroup"
	cgroup=
}

begin_whole() {
	# shellcheck disable=SC2016
	set -- sh -c '[ -z "$0" ] || echo $$ >"$0/cgroup.procs"; exec "$@"' "$cgroup" "$@"
	setsid "$@" </dev/null >whole.out 2>whole.err &
	whole=$!
	# It could not be killed as a whole before.
	until_true has_begun || fail 'the processes begin'
}
has_begun() {
	if [ -n "$cgroup" ]; then
		grep -q '^populated 1' "$cgroup/cgroup.events"
	else
		kill -0 "-$whole" 2>/dev/null
	fi
}

is_killed() {
	if [ -n "$cgroup" ]; then
		grep -q '^populated 0' "$cgroup/cgroup.events"
	else
		# A collector that is slow to die still has the recording's lock.
		ps -eo stat=,pgid=,pid= | collectors=$collectors awk -v group="$whole" '
			BEGIN { n = split(ENVIRON["collectors"], pid); while (n) ours[pid[n--]] = 1 }
			($2 == group || $3 in ours) && $1 !~ /^Z/ { lives = 1 } END { exit lives }'
	fi
}
kill_whole() {
	if [ -n "$cgroup" ]; then
		echo 1 >"$cgroup/cgroup.kill"
	else
		# The collector has a session of its own, and must not be replaced. One that has begun
		# just now has not its name yet.
		kill -STOP "-$whole"
		collectors="$(pids memusage-collec "$whole") $(pids memusage "$whole")"
		# shellcheck disable=SC2086
		[ "$collectors" = ' ' ] || kill -STOP $collectors 2>/dev/null
		# shellcheck disable=SC2086
		kill -9 "-$whole" $collectors 2>/dev/null
	fi
	wait "$whole" 2>/dev/null
	until_true is_killed || fail 'the processes can be killed'
}

# check_run: the recording has every process of the directory tally
check_run() {
	run memusage -o report --record=run.mur --finish "$1"
	[ "$status" = 0 ] || {
		diag "--finish: status $status: $err"
		return 1
	}
	[ ! -e run.mur.arena ] || {
		diag 'the arena is still there'
		return 1
	}
	# Before there was any process nothing is recorded.
	[ -n "$(ls tally)" ] || return 0
	memusageprint --to=json run.mur >run.json 2>json.err || {
		grep -q 'holds no process' json.err && echo '{"processes": []}' >run.json
	}
	"$MU_SRC/tests/lib/tally.pl" run.json tally >checked
	processes=$((processes + $(sed -n 's/^checked //p' checked)))
	! grep -v '^checked' checked | sed 's/^/# /' | grep .
}

kill_runs() {
	good=0 processes=0 round=0
	while [ $((round += 1)) -le "$1" ]; do
		rm -rf tally run.mur*
		mkdir tally
		moment=$(awk -v seed="$(date +%N)" 'BEGIN { srand(seed); printf "%.3f", rand() * 0.4 }')
		begin_whole memusage -q --durable --record=run.mur tally tally
		sleep "$moment"
		kill_whole
		# Killed before memusage had begun.
		if [ ! -e run.mur.arena ] && [ -z "$(ls tally)" ]; then
			good=$((good + 1))
			continue
		fi
		if check_run run.mur; then
			good=$((good + 1))
		else
			diag "round $round, killed after $moment s"
		fi
	done
	is "$good" "$1" "$1 kills at random moments: every record is there"
	num "$processes" -ge "$1" "... of $processes processes"
}
