#!/bin/sh
# supplied.t -- a process that supplies its pages itself (userfaultfd), or a file system that it uses
# (FUSE), is examined, and is not waited for: it cannot answer while it stands still.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/examined.sh"
need_bin memusage supplied own_files
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

for kind in '' forks; do
	# shellcheck disable=SC2086
	run supplied $kind
	case $status,$out in
	0,refused:*)
		skip "userfaultfd() ${kind:+that hears of forks }was answered: ${out#refused: }" 14
		continue
		;;
	esac
	is "$status,$(printf '%s\n' "$out" | tail -1)" '0,wrong=0' "supplied $kind alone"
	# shellcheck disable=SC2086
	begin_examined supplied $kind
	for command in 'leak_check summary' 'leak_check full' holders census pages; do
		# shellcheck disable=SC2086
		run timeout 60 memusage --pid="$program" $command
		is "$status" 0 "supplied $kind: $command" || diag "$err"
	done
	end_examined
	is "$ended $(tail -1 output)" '0 wrong=0' '... and it goes on'
	for options in --leak-check=full --holders --fragmentation; do
		# shellcheck disable=SC2086
		run timeout 60 memusage -o report $options supplied $kind
		is "$status" 0 "supplied $kind, $options: it ends" || diag "$err"
		like "$out" '^wrong=0$' '... as alone'
	done
	# shellcheck disable=SC2086
	run timeout 60 memusage --leak-check=full supplied $kind
	like "$err" 'definitely lost: 1,000 bytes in 1 blocks' '... and its leak is found'
done

# ---- a file system

mkdir files
run own_files files
case $out in
refused:*)
	skip "own_files was answered: ${out#refused: }" 16
	done_testing
	;;
esac
begin_examined own_files files
for command in 'leak_check summary' 'leak_check full' holders pages; do
	# shellcheck disable=SC2086
	run timeout 60 memusage --pid="$program" $command
	is "$status" 0 "own_files: $command" || diag "$err"
done
end_examined
is "$ended" 0 '... and it goes on'
num "$(sed -n 's/^closed=//p' output)" -ge 4 '... and has answered each close of a copy'

# ---- a file that cannot be read

# Its pages are left alone.
mkdir silent gone
begin_examined own_files silent silent
for command in 'leak_check summary' holders pages; do
	# shellcheck disable=SC2086
	run timeout 60 memusage --pid="$program" $command
	is "$status" 0 "own_files silent: $command" || diag "$err"
done
end_examined
is "$ended" 0 '... and it goes on'
# Nothing tells that they will not come. Both wait for the same time, at once.
timeout 120 memusage -o report --holders own_files gone gone </dev/null >out.end 2>err.end &
at_end=$!
begin_examined own_files gone gone
run timeout 60 memusage --pid="$program" holders
is "$status" 125 'own_files gone: a client gives up'
like "$err" 'nothing could be read of it any more: a file system that it uses does not answer' \
	'... and says why'
end_examined
is "$ended" 0 '... and the process goes on'
wait "$at_end"
is "$?" 0 '--holders at its end: it ends'
like "$(cat report)" 'own_files: heap total: [1-9]' '... and is recorded'
like "$(cat err.end)" 'could not be examined: nothing could be read of it' '... without its holders'
done_testing
