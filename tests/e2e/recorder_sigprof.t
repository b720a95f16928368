#!/bin/sh
# recorder_sigprof.t -- a program that uses SIGPROF, or asks for it, finds it as without us; one
# that does not has its stack sampled.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin sigprof sigstack
taken='the program uses SIGPROF itself'

for how in query deadly-raise deadly-thread sleeps; do
	profiled "$how" -d data -- sigprof "$how"
	unlike "$(cat report)" "$taken" "$how: not said to use it"
done
for how in signal sigaction itimer deadly-timer; do
	profiled "$how" -d data -- sigprof "$how"
	like "$(cat report)" "$taken" "$how: said to use it"
done
profiled 'blocked, waited for, and exec' -d data -- sigprof blocked
profiled 'ignored by its parent' -d data -- sh -c 'trap "" PROF; exec sigprof query'
profiled 'without a data file' sigprof query

# The frame of our signal would not fit beside that of the program's own.
profiled 'a handler on a signal stack that just suffices' -d data -- sigstack
profiled 'the same in a profile of stacks' --massif --stacks=yes --massif-out-file=mo -- sigstack
profiled 'and when the stack is gone' -d data -- sigstack after
num "$(wc -c <data)" -ge $((8 * 24)) 'sampled again: more records than calls'

profiled 'a deep stack between two events' -d data -- sigprof deep
num "$(report_field stack peak)" -ge 1000000 'sampled: its depth is seen'
profiled 'with --no-timer' -d data --no-timer -- sigprof deep
num "$(report_field stack peak)" -le 100000 'not sampled: its depth is not seen'
profiled 'without a data file' -v -- sigprof deep
num "$(report_field stack peak)" -le 100000 'not sampled either'
touched=$(sed -n 's/.*seen, \([0-9]*\) touched/\1/p' report | head -n 1)
num "${touched:-0}" -ge 1000000 "but the kernel's high-water mark tells"
done_testing
