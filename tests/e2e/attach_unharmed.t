#!/bin/sh
# attach_unharmed.t -- a process is not harmed by a recorder that comes and goes, whatever its threads do
# meanwhile, nor by an attacher that is killed at any moment.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint attached examined
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH
times_each=$(attempts 3 20) times_brief=$(attempts 5 40) kills=$(attempts 6 60)

# come_and_go TIMES: how many times a recorder came and went
come_and_go() {
	times=0
	for _ in $(seq 1 "$1"); do
		memusage --attach="$program" --duration=20ms -q --top -o "top.$program" \
			2>>refused 3>&- && times=$((times + 1))
	done
	echo "$times"
}
all_run() { ! cat "/proc/$program/task"/*/status | grep -q '^State:[[:space:]]*[tT]'; }


for what in 'blocks 8' threads children signals objects; do
	# shellcheck disable=SC2086 # it is two words
	begin_stranger attached $what
	: >refused
	is "$(come_and_go "$times_each")" "$times_each" "attached $what: a recorder comes and goes"
	like "$(cat "top.$program")" 'allocated by' '... and has recorded'
	end_stranger
	is "$ended" 0 '... it ends as alone'
	like "$(tail -1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
	sed 's/^/# /' refused
done

# A child that ends while the recorder is taken away from it is no reason to complain.
begin_stranger attached brief
: >refused
is "$(come_and_go "$times_brief")" "$times_brief" 'children that end at any moment'
is "$(cat refused)" '' '... each is left, or has ended'
end_stranger
like "$ended $(tail -1 output)" '^0 done=[1-9][0-9]* bad=0$' '... and nothing was wrong'

begin_stranger examined
is "$(come_and_go "$times_each")" "$times_each" 'a process that waits in many ways'
end_stranger
is "$ended" 0 '... ends as alone'
is "$(tail -1 output)" 'interrupted=0 wrong=0 children=0 signals=0' '... and has noticed nothing'

killed=0
for i in $(seq "$kills"); do
	begin_stranger attached blocks 4
	# Every other one would stay, so that it is there however late the kill comes.
	memusage --attach="$program" --duration=$((i % 2 * 29970 + 30))ms -q --record=run.mur \
		2>/dev/null 3>&- &
	attacher=$!
	sleep "0.0$((i * 37 % 10))$((i * 7 % 10))"
	for one in $(pids memusage "$attacher") "$attacher"; do
		kill -9 "$one" 2>/dev/null && killed=$((killed + 1))
	done
	wait "$attacher" 2>/dev/null
	until_true grep -q '^TracerPid:[[:space:]]*0$' "/proc/$program/status"
	until_true all_run
	end_stranger
	[ "$ended" = 0 ] && grep -q 'bad=0$' output && echo unharmed >>survivors
done
num "$killed" -ge $((kills / 2)) "attachers were killed: $killed"
is "$(grep -c unharmed survivors)" "$kills" '... no process was harmed'
done_testing
