#!/bin/sh
# massif_compare_books.t -- what --ignore-fn leaves out, and what -v -v and --stats=yes say, is as
# with Valgrind's Massif.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need valgrind ms_print
need_bin memusage memusageprint
need_libdw
. "$MU_SRC/tests/lib/massif.sh"

# Blocks that are ignored, and what realloc makes of them.
compare ignored --detailed-freq=1 --ignore-fn=ignore1 --ignore-fn=ignore2 --ignore-fn=ignore3
compare ignored --heap-admin=0 --peak-inaccuracy=0 --ignore-fn=ignore1 --ignore-fn=ignore2
compare ignored --detailed-freq=2 --ignore-fn=count1
compare ignored --detailed-freq=1 --alloc-fn=count1 --ignore-fn=through_ignore3

if [ -x "$WORKLOADS/massif_ignored_new" ]; then
	compare ignored_new --detailed-freq=1 '--ignore-fn=pool::take(int)'
	compare ignored_new '--ignore-fn=pool::user::user(int)' --ignore-fn=plain --ignore-fn=main
	compare ignored_new --ignore-fn=take --ignore-fn=pool --ignore-fn=call_init
else
	skip 'no C++ compiler' 6
fi

# What it says while it works.
talks nothing
talks cull --max-snapshots=13 --detailed-freq=3 --heap-admin=16
talks gaps --max-snapshots=10
talks peaks --max-snapshots=20 --peak-inaccuracy=10 --heap-admin=128
talks realloc --max-snapshots=13
talks ignored --max-snapshots=10 --ignore-fn=ignore1 --ignore-fn=ignore2

done_testing
