#!/bin/sh
# fork_locks.t -- no child hangs because a thread waited in the recorder with the lock of ld.so's
# list, or because the recorder itself held that lock at the fork; and none because another thread
# was changing the environment, the locale or the time zone: alone, one in twenty does.
#
# A fork while a thread changes the list can hang without the recorder, too: so a few may. How often
# children of threads that use the lock all the time hang is measured by tests/slow/fork_locks.t.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin fork_locks

# few_hang TEXT MOST HOW COUNT: fewer than MOST of COUNT children hang.
few_hang() {
	few_text=$1 few_most=$2
	shift 2
	run memusage -o report -- fork_locks "$@" "$few_most"
	is "$status" 0 "$few_text: the program ends as alone"
	recorded "$few_text"
	num "$(sed -n 's/^children=//; s/ hung=.*//p' .out)" -ge 1 "$few_text: there are children"
	num "$(sed -n 's/.*hung=//p' .out)" -lt "$few_most" "$few_text: no child hangs"
}

few_hang 'a fork while a thread reads the list' 1 inside 3
few_hang 'a fork at the first dlopen()' 4 first 60
few_hang 'a fork while a thread sets variables' 1 setenv 300
few_hang 'a fork while a thread sets the locale' 1 setlocale 300
few_hang 'a fork while a thread sets the time zone' 1 tzset 300
done_testing
