#!/bin/sh
# zoo.t -- random programs do under memusage what they do alone: those that once did not, and some of
# each species.
#
# tests/zoo/run says which plan failed in which mode; `tests/zoo/run --shrink PLAN MODE` reduces it, and
# what is left belongs into tests/zoo/kept. tests/slow/zoo.t runs more seeds.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl
need_bin memusage
need_recorder
was_built "$MU_BUILD/tests/zoo/zoo"

# agree TEXT ARGUMENT...: of tests/zoo/run
agree() {
	text=$1
	shift
	run "$MU_SRC/tests/zoo/run" --jobs=2 "$@"
	is "$status" 0 "$text" || diag "$out $err"
	like "$out" '^[1-9][0-9]* programs, [1-9][0-9]* runs, 0 failed' "$text: something ran"
}
agree 'what failed once' --kept="$MU_SRC/tests/zoo/kept" plain record
agree 'without memusage nothing is left to chance' --native "1-$(attempts 20 40)"
agree 'in each mode' "1-$(attempts 1 2)"
seeds=$(attempts 2 4) some=$(attempts 1 2)
for species in $("$MU_BUILD/tests/zoo/zoo" list); do
	agree "$species" --species="$species" --some="$some" "1-$seeds" plain mmap record massif dhat own when alone
done
done_testing
