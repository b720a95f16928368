#!/bin/sh
# recorder_family.t -- every function of the malloc family is counted, and does what it did.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

profiled 'malloc, calloc, realloc, free' family plain
profiled 'memalign and its kin' family aligned
profiled 'reallocarray' family array
profiled 'free_sized, free_aligned_sized' family sized
profiled 'malloc_usable_size' family usable
profiled 'requests that fail' family failing
profiled 'errno' family errno 3
is "$native_status" 3 'the workload ran to its end'

run env LD_PRELOAD="$LIB" MEMUSAGE_COLLECTOR=1:gone: family errno
is "$status" 0 'errno of a process that is not recorded'
done_testing
