#!/bin/sh
# gone_stacks.t -- a program whose stacks go away, and others in their places, computes the same with call
# stacks as without, and all that it allocated is there.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# same_as_alone TEXT PROGRAM SEED: a mode for each seed, so that each mode meets many orders
same_as_alone() {
	mode=$(printf '%s\n' --record=kept --massif-out-file=kept --dhat-out-file=kept \
		--xtree-memory=full | sed -n "$(($3 % 4 + 1))p")
	"$2" "$3" 300 >alone
	status_alone=$?
	rm -f kept
	memusage "$mode" "$2" "$3" 300 >out 2>err
	is "$?" "$status_alone" "$1, seed $3, ${mode%%=*}: ends in the same way"
	same out alone "$1, seed $3: and says the same"
	like "$(cat err)" "^ *malloc\\| *$(($(sed -n 's/.*calls=\([0-9]*\).*/\1/p' alone) + extra)) " \
		"$1, seed $3: each call is counted"
}

# Beside its own calls there are those of printf and the like: as many in each run.
memusage "$WORKLOADS/gone_stacks" 1 0 >out 2>err
extra=$(sed -n 's/^ *malloc| *\([0-9]*\) .*/\1/p' err)
like "$extra" '^[0-9]+$' 'a run without rounds is recorded'
# CC may be several words.
# shellcheck disable=SC2086
ok 'built without optimisation' ${CC:-cc} -std=gnu11 -O0 -w -fno-builtin -pthread -D_GNU_SOURCE \
	-I"$MU_SRC" -o made "$MU_SRC/tests/workloads/gone_stacks.c"
seed=0
while [ $((seed += 1)) -le 12 ]; do
	same_as_alone 'as it was built' "$WORKLOADS/gone_stacks" "$seed"
	same_as_alone '-O0' ./made $((seed + 100))
done
done_testing
