#!/bin/sh
# broken_stacks.t -- call stacks that end too early, are cut, or were found by frame pointers are counted
# and said, where Massif warns; whole ones are not.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# truth NAME
truth() {
	sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" truth
}

memusage --stats=yes --massif-out-file=out "$WORKLOADS/broken_stacks" >truth 2>err
ok 'there is a profile' grep -q '^snapshot=1$' out
err=$(cat err)
if [ "$(truth lost)" -gt 0 ]; then
	like "$err" "^memusage: call stacks that end too early .*: 1 of [0-9]+, those of $(truth lost) allocations$" \
		'callers that cannot be found'
	like "$err" "call stacks that were found by frame pointers .*: 1 of [0-9]+, those of $(truth guessed) " \
		'frame pointers are told by --stats=yes'
else
	skip 'needs code for this machine' 2
fi
like "$err" "call stacks that are deeper than the 1,024 .*: 1 of [0-9]+, those of $(truth cut) allocations$" \
	'stacks that are cut'
run memusage --massif-out-file=out "$WORKLOADS/broken_stacks"
unlike "$err" 'found by frame pointers' 'frame pointers are not told without being asked'
like "$err" 'are deeper than' 'losses are'
run memusage --stats=yes --massif-out-file=out "$WORKLOADS/massif_chains"
unlike "$err" 'call stacks' 'nothing is said of stacks that are whole'
run memusage "$WORKLOADS/broken_stacks"
unlike "$err" 'call stacks' 'or of a run that records none'

# What is too deep is cut to half of 1,024 frames by the quick way, which finds the next stacks from what
# it remembers. The slow way, 200 us for each event, would keep all 1,024.
memusage -q --record=kept.mur "$WORKLOADS/broken_stacks" >truth
frames=$(memusageprint --tree=total --to=folded kept.mur |
	awk '{ n = gsub(";", ";") + 1; if (n > most) most = n } END { print most }')
is "$frames" 512 'of a stack that is too deep the innermost 512 frames are kept'
done_testing
