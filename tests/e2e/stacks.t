#!/bin/sh
# stacks.t -- with --stacks=yes profiles show how deep stacks are: at calls, by samples, and what only
# the kernel saw; of every thread.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

# profile ARG...: $most is the largest mem_stacks_B, $last the last one, $sure how many there are
profile() {
	memusage -q --stacks=yes --max-snapshots=1000 --massif-out-file=out "$@"
	most=$(sed -n 's/^mem_stacks_B=//p' out | sort -n | tail -1)
	last=$(sed -n 's/^mem_stacks_B=//p' out | tail -1)
	: "$last"
}
around() {
	num "$most" -ge "$1" "$2: as deep as it was"
	num "$most" -le $(($1 + 30000)) '... and not much deeper'
}

profile stacks 300000
around 300000 'a call deep down'
num "$last" -lt 30000 '... and back again'
like "$(head -1 out)" 'desc: .*--stacks=yes' 'the profile names the option'
ok 'the peak is of heap and stack' \
	sh -c 'grep -A0 -B2 "heap_tree=peak" out | grep -q "mem_stacks_B=3"'
profile stacks 400000 thread
around 400000 'a thread'
num "$last" -lt 30000 '... and its end'
profile stacks 500000 samples
around 500000 'without a call: seen by the timer'
profile stacks 600000 silent
around 600000 'for a moment only: seen by the kernel, in the next snapshot'
profile --time-unit=B stacks 300000
around 300000 'by the byte clock'
memusage -q --massif --massif-out-file=out stacks 300000
is "$(sort -u out | sed -n 's/^mem_stacks_B=//p')" 0 'without the option there are none'
done_testing
