#!/bin/sh
# signal_frame.t -- a frame that a signal interrupted has the name of its own function, even if that
# was about to begin.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

memusage -q --massif --detailed-freq=1 --massif-out-file=out "$WORKLOADS/signal_frame"
is $? 0 'the program runs'
like "$(cat out)" 'n1: 500 0x[0-9A-F]+: handler ' 'the handler allocates'
like "$(cat out)" 'n[01]: 500 0x[0-9A-F]+: trap ' 'in the function that was interrupted'
unlike "$(cat out)" ': before ' '... and not in the one before it'
like "$(cat out)" 'n0: 500 0x[0-9A-F]+: main ' 'called by main'

done_testing
