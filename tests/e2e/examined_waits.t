#!/bin/sh
# examined_waits.t -- no call that waits returns early or with an error because the process is
# examined, whatever it waits for; nor in a process of a thousand threads.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage waits
need mkfifo
PATH=$WORKLOADS:$PATH

# begin PROGRAM [ARG]...: starts it under memusage, waits until it is ready; its ID is in $program
begin() {
	rm -f input output errors
	mkfifo input
	memusage -q --record=run.mur "$@" <input >output 2>errors &
	launcher=$!
	exec 3>input
	until_true grep -q ready output
	program=$(pids "$1" "$launcher" | head -1)
}
end() {
	exec 3>&-
	wait "$launcher"
	ended=$?
}
# examine TIMES [OPTION]...: the checks that could not be made are counted in $failed
examine() {
	times=$1
	shift
	failed=0
	for _ in $(seq 1 "$times"); do
		memusage "$@" --pid="$program" leak_check summary >log 2>&1 || failed=$((failed + 1))
	done
}

begin waits
if ! memusage --pid="$program" leak_check summary >first.log 2>first.err &&
	grep -q 'ptrace' first.err; then
	end
	skip_all "processes cannot be traced here: $(cat first.err)"
fi
examine 20
is "$failed" 0 'a process that waits is examined 20 times'
examine 20 --snapshot=stop
is "$failed" 0 '... and 20 times without a copy'
# Calls with a limit may begin again: they end now.
sleep 0.6
end
is "$ended" 0 '... it ends as alone'
is "$(tail -1 output)" 'kinds=27 disturbed=0' '... and no call has ended early, or by an error'
is "$(cat errors)" '' '... nor any but these'

begin waits 1000
is "$(find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l)" 1028 'a process of 1,028 threads'
examine 3
is "$failed" 0 '... is examined'
end
is "$ended" 0 '... it ends as alone'
is "$(tail -1 output)" 'kinds=27 disturbed=0' '... and no call has ended early, or by an error'
done_testing
