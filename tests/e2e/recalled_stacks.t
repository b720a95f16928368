#!/bin/sh
# recalled_stacks.t -- stacks that are known without being unwound are the right ones: of many paths
# that differ in one or two return addresses each gets its own blocks, and all of them.
# (tests/real/unwind.t holds such stacks against libunwind's.)
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint callers

# paths TEXT PROGRAM
paths() {
	memusage -q --record=kept.mur "$2" 40000 >truth
	ok "$1: recorded" test -s kept.mur
	num "$(wc -l <truth)" -ge 700 "$1: the workload tells the truth"
	# "main;go_on;red;go_on;blue;...;own_malloc_of BYTES"
	memusageprint --tree=total --to=folded kept.mur |
		sed -n 's/;go_on\(;leaf;own_malloc_of[.a-z0-9]*\)\{0,1\}//g; s/^main;\([a-z;]*\) /\1 /p' |
		awk '$1 ~ /^(red|green|blue)(;(red|green|blue))*$/ {
			gsub(/;/, ">", $1); print "path", $1, $2 / 24 }' | sort >seen
	sort truth >want
	same seen want "$1: each path has its blocks"
}

paths 'as it was built' "$WORKLOADS/callers"
for flags in -O0 '-O1 -fno-omit-frame-pointer' '-O2 -mstackrealign'; do
	# shellcheck disable=SC2086  # words are wanted
	if ${CC:-cc} -std=gnu11 -g $flags -I"$MU_SRC" -o made "$MU_SRC/tests/workloads/callers.c" 2>log; then
		paths "$flags" ./made
	else
		fail "$flags: built"
		sed 's/^/# /' log
	fi
done
done_testing
