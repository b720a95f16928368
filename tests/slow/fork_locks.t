#!/bin/sh
# fork_locks.t -- No child hangs because a thread read ld.so's list, under its lock, at the fork. Alone
# libc lets it happen.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin fork_locks

# A hanging child takes 10 seconds.
count=600 most=60
run fork_locks iterate $count $most
is "$status" 0 'alone'
alone=$out
run memusage -o report -- fork_locks iterate $count $most
is "$status" 0 'recorded'
recorded 'forks beside callbacks that allocate'
diag "alone: $alone; recorded: $out"
is "${out##*hung=}" 0 'no child of a recorded program hangs'
done_testing
