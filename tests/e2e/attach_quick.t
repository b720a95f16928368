#!/bin/sh
# attach_quick.t -- calls of malloc and its family take a short way through an attached recorder; all
# are counted, whoever makes them, in one thread and in two, and in all modes.
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

# 1000 rounds of one thread, then of two: 8 mallocs, one by libc and one by a handler, one realloc by
# 1000 bytes and one of a new block, one calloc of 150 bytes, and 4 of memalign and its like, one of
# which fails; 7096 bytes in the end, which are freed, and one free of nothing. Ten blocks are kept,
# one of each is refused. libc itself frees nothing some times when a thread ends, and makes a block
# by calloc for a new one.
check_counts() {
	like "$(cat report)" '^ malloc\| *24011 +[0-9]+ +1 *$' "$1: all calls of malloc"
	like "$(cat report)" '^ calloc\| *300[1-3] +45[0-9]+ +1 *$' '... of calloc'
	case $1 in *sample*) return ;; esac
	like "$(cat report)" '^realloc\| *6001 +4611686018430597853 +1 ' '... of realloc'
	like "$(cat report)" '^memalign\| *12000 +1470000 +3000 *$' '... of memalign and its like'
	like "$(cat report)" '^   free\| *420[0-9][0-9] +21288000 *$' '... and of free'
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
