#!/bin/sh
# attach.t -- a recorder comes to servers at work and goes: all answers are right.
#
# MU_CYCLES (5) is how many times.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need python3
need_bin memusage attached
need_attach

for name in python node java nginx redis postgres postmaster; do
	come_and_go "$name" "${MU_CYCLES:-5}"
done
done_testing
