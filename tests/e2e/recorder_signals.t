#!/bin/sh
# recorder_signals.t -- signal handlers that allocate, that leave by longjmp, and other stacks
# than a thread's own.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin signals

profiled 'handlers that allocate' signals polite
profiled 'handlers that allocate, with a data file' -d data -- signals polite
profiled 'sigaltstack' signals altstack
profiled 'sigaltstack of a thread' signals thread-altstack
profiled 'coroutines' signals coroutines
profiled 'coroutines, with a data file' -d data -- signals coroutines

# anywhere TEXT WAY: handlers interrupt the recorder itself; the user's malloc can stand that.
# What was nested is not recorded, and said so. Sets $nested.
anywhere() {
	run env LD_PRELOAD="$WORKLOADS/libbump.so" memusage -o report -- signals "$2"
	is "$status" 0 "$1: reaches its end"
	recorded "$1"
	truths "$1" .out report
	nested=$(sed -n 's/.*not recorded: \([0-9]*\) calls from signal handlers.*/\1/p' report)
}
anywhere 'handlers anywhere in malloc' storm
made=$(sed -n 's/^made //p' .out)
is $(($(report_field malloc calls) + $(report_field free calls) + ${nested:-0})) $((2 * made)) \
	'every call is recorded or counted as not recorded'
# A handler's malloc and free are both recorded or both not.
is "$(report_field malloc calls)" "$(report_field free calls)" 'no handler is taken for one that left'
anywhere 'longjmp out of malloc' jump
num "${nested:-0}" -le 10000 'few calls are not recorded'
anywhere 'longjmp out of malloc, then deeper' jump-deep
num "${nested:-0}" -le 1000 'few calls are not recorded'

# Each thread has one record, also if a handler has the thread's first event.
memusage -q --record=attach.mur -- attach 1000 >attach.out
memusageprint --to=json attach.mur >attach.json
is "$(sed -n 's/.*"threads_max":\([0-9]*\).*/\1/p' attach.json)" 2 \
	'a thread that a handler interrupts at once counts once'
num "$(sed -n 's/.*"call_count":\([0-9]*\).*/\1/p' attach.json)" -gt 21000 'and handlers have run'
done_testing
