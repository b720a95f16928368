#!/bin/sh
# recorder_maps.t -- with -m mappings are counted by kind, failures as failures, and heap is what
# was mapped as heap.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin maps

for how in kinds failing moving parts negative; do
	profiled "$how" -m -- maps "$how"
	unlike "$(cat report)" '[0-9]{16}' "$how: no negative number"
done
truth=no
profiled 'without -m' maps kinds
is "$(report_field heap total)" 0 'without -m mappings are not counted'
unlike "$(cat report)" 'mmap' 'and have no rows'
done_testing
