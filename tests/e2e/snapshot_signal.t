#!/bin/sh
# snapshot_signal.t -- --snapshot-signal: a process that gets the signal has its snapshot written,
# and sees of that what the manual says and nothing else.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint snapshot_signal
ulimit -c 0
field() { sed -n "s/^$1=//p" "$2"; }
files() { find . -maxdepth 1 -name "$1*" | wc -l; }

# ---- a program that has no use for it

run memusage -o report --snapshot-signal=USR2 --snapshot-file=plain.%n snapshot_signal default
is "$status" 0 'the default action is left out'
like "$out" 'at first: default, flags 0, mask 0 0' 'the program sees none'
like "$out" 'at last: default, flags 0, mask 0 0' '... nor later'
like "$out" 'read: 1, ok' 'calls that can be restarted are'
like "$out" 'poll: -1, interrupted' 'poll() cannot: signal(7)'
is "$(files plain.)" 3 'a file for each signal'
is "$(field mem_heap_B plain.1)" 12345 'what was live when the program raised it'
is "$(field heap_tree plain.1)" detailed '... detailed'
like "$(cat plain.1)" 'n[0-9]*: 12345 0x[0-9A-F]*: by_default \(snapshot_signal.c:' '... who allocated it'
ok 'a profile as Massif writes it' memusageprint plain.1
like "$(cat report)" '^memusage: snapshot of process [0-9]+ \(signal 12\): plain.1$' 'the report names it'
run memusage -q snapshot_signal default
num "$status" -gt 128 'without the option the signal is deadly'

# ---- programs that have

for how in handler once leave forms blocked start; do
	profiled "$how" --snapshot-signal=USR2 "--snapshot-file=$how.%p.%n" -- snapshot_signal "$how"
done
is "$(files handler.)" 5 'their handlers follow the snapshots'
is "$(files once.)" 1 '... also that which runs once'
is "$(files leave.)" 3 '... or is left by longjmp'
is "$(files blocked.)" 4 'one that waits for it gets it with a snapshot, one that reads it without'
like "$(cat report)" 'ignores the signal of --snapshot-signal' 'ignoring it is said'
for how in handler leave forms blocked; do
	profiled "$how, counting only" snapshot_signal "$how"
done
profiled 'a real-time signal does not concern it' --snapshot-signal=RTMIN+1 -- \
	snapshot_signal handler

# ---- children and threads

run memusage -o report --snapshot-signal=12 --snapshot-file=forked.%n snapshot_signal forked
like "$out" 'child: 3' 'a forked child without any event'
is "$(files forked.)" 1 'has a snapshot'
is "$(field mem_heap_B forked.1)" 12345 'of what it has inherited'
run memusage -o report --snapshot-signal=SIGUSR2 --snapshot-file=storm.%n snapshot_signal storm
is "$status" 0 'a hundred, in the middle of events of four threads'
num "$(files storm.)" -ge 10 'many of them have their snapshot'
bad=0
for file in storm.*; do
	bytes=$(field mem_heap_B "$file")
	[ "$bytes" -ge 12345 ] && [ "$bytes" -le 20000 ] && [ "$(field heap_tree "$file")" = detailed ] ||
		bad=$((bad + 1))
done
is $bad 0 'all of them right'

# ---- the command line

for name in KILL SEGV INT TERM CHLD PROF PIPE 0 9 11 32 999 RTMIN+99 nonsense ''; do
	run memusage "--snapshot-signal=$name" true
	is "$status" 125 "'$name' is refused"
done
like "$err" 'is not a signal that programs may use freely: choose USR1' '... with others'
run memusage --snapshot-signal=usr1 --mode=copy true
is "$status" 125 'there are no snapshots of copies'
run memusage --snapshot-signal=usr1 --snapshot-file=%x true
is "$status" 125 'a wrong name'
mkdir nonexistent
run memusage --snapshot-signal=usr2 --snapshot-file=nonexistent/%p \
	sh -c 'rmdir nonexistent; exec snapshot_signal default'
is "$status" 0 'a file that cannot be written does not hurt the program'
like "$err" 'nonexistent' '... and is told of'
done_testing
