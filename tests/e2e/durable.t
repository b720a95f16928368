#!/bin/sh
# durable.t -- --durable: a kill of a whole run, memusage and its collector included, loses nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/durable.sh"
. "$MU_SRC/tests/lib/users.sh"
need perl setsid
need_bin memusageprint tally live sandbox
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'

# ---- without a kill it is a recording like any other

profiled 'with --durable' --durable --record=kept.mur -- family plain
nok '... and the arena is gone' test -e kept.mur.arena
ok '... the recording is whole' memusageprint --top kept.mur
run memusage -q --durable '--record=kept.%p.mur' sh -c 'echo $$; ls'
pid=$(printf '%s\n' "$out" | head -1)
like "$out" "^kept\.$pid\.mur\.arena\$" 'while it runs the arena is beside the recording'
is "$(ls -- *.arena* 2>/dev/null)" '' '... and later gone'

# In a sandbox no system call can find room on the disk.
for sandbox in strict filter; do
	profiled "$sandbox" --durable --record=box.mur -- sandbox $sandbox
done

# The collector survives that its arena is cut, whatever becomes of the program.
mkfifo in out
memusage -o report --durable --record=cut.mur live <in >out 2>err &
job=$!
exec 3>in 4<out
echo 'alloc 10 100' >&3 && read -r _ <&4
truncate -s 0 cut.mur.arena
sleep 0.3
exec 3>&- 4<&-
wait "$job" 2>/dev/null
unlike "$(cat err)" 'the collector' 'an arena that is cut does not end the collector'
like "$(cat report)" '^memusage: .*live' '... it reports'

# Processes of other users have arenas of their own, which are files, too.
if has_users; then
	mkdir tally && chmod 777 tally
	# shellcheck disable=SC2016
	begin_whole memusage -q --durable --record=run.mur sh -c 'tally tally &
		setpriv --reuid=64123 --regid=64123 --clear-groups "$0/tally" tally' "$WORKLOADS"
	until_true test -e run.mur.arena.1
	others_tell() { [ "$(find tally -user 64123 | wc -l)" -gt 1 ]; }
	until_true others_tell
	kill_whole
	processes=0
	ok 'processes of two users: every record is there' check_run run.mur
	is "$(ls run.mur*)" run.mur '... and both arenas are gone'
	num "$(find tally -user 64123 | wc -l)" -gt 1 '... of the other user, too'
else
	skip "$no_users" 3
fi

# ---- kills

kill_runs "${MU_KILLS:-16}"
if make_cgroup; then
	kill_runs "${MU_KILLS:-16}"
	remove_cgroup
else
	skip 'no cgroup can be made here' 2
fi
done_testing
