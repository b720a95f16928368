#!/bin/sh
# examined_waits.t -- no call that waits returns early or with an error because the process is
# examined, whatever it waits for; nor in a process of a thousand threads.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/examined.sh"
need_bin memusage waits
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

# examine TIMES [OPTION]...: the checks that could not be made are counted in $failed
examine() {
	times=$1
	shift
	failed=0
	for _ in $(seq 1 "$times"); do
		memusage "$@" --pid="$program" leak_check summary >log 2>&1 && continue
		failed=$((failed + 1))
		diag "$(cat log)"
	done
}

begin_examined waits
examine 20
is "$failed" 0 'a process that waits is examined 20 times'
examine 20 --snapshot=stop
is "$failed" 0 '... and 20 times without a copy'
# Calls with a limit may begin again: they end now.
sleep 0.6
end_examined
is "$ended" 0 '... it ends as alone'
is "$(tail -1 output)" 'kinds=27 disturbed=0' '... and no call has ended early, or by an error'
is "$(cat errors)" '' '... nor any but these'

begin_examined waits 1000
is "$(find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l)" 1028 'a process of 1,028 threads'
examine 3
is "$failed" 0 '... is examined'
end_examined
is "$ended" 0 '... it ends as alone'
is "$(tail -1 output)" 'kinds=27 disturbed=0' '... and no call has ended early, or by an error'
done_testing
