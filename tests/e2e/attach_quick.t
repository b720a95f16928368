#!/bin/sh
# attach_quick.t -- calls of malloc and free take a short way through an attached recorder; all are
# counted, whoever makes them, and in all modes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint quick
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

# begin [NAME=VALUE]: starts quick
begin() { begin_stranger env "$@" quick; }

# Each of two threads makes 1000 rounds with 8 mallocs, one by libc and one by a handler, and one
# realloc by 1000 bytes; of 6516 bytes in the end, which are freed, and one free of nothing. Ten
# blocks are kept, one is refused. libc itself frees nothing some times when a thread ends.
check_counts() {
	like "$(cat report)" '^ malloc\| *16011 +[0-9]+ +1 *$' "$1: all calls of malloc"
	case $1 in *sample*) return ;; esac
	like "$(cat report)" '^realloc\| *2000 +2000000 +0 ' '... of realloc'
	like "$(cat report)" '^   free\| *180[0-9][0-9] +13032000 *$' '... and of free'
}

for options in '' --record=run.mur --data=run.dat '--record=samples.mur --sample=4K'; do
	begin MU=1
	# shellcheck disable=SC2086 # none or several
	ok "attached $options" attach "$program" -o report $options
	printf a >&3
	until_true grep -q 'done' output
	detach
	check_counts "${options:-counted}"
	end_stranger
	is "$ended" 0 '... it ends as alone'
done
done_testing
