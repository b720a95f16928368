#!/bin/sh
# stack_room.t -- a call of malloc or its kin takes at most 1 KiB of stack more than without us, in each
# mode, also when its return address, its stack or its object are met for the first time: a handler
# on an alternate signal stack that just suffices goes on to work. Where little is left there, it
# takes less, and the stack is truncated, and counted.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
PATH=$WORKLOADS:$PATH

# ld.so binds a function at its first call with more stack than malloc takes.
LD_BIND_NOW=1
export LD_BIND_NOW

case $(cat "$MU_BUILD/flags" 2>/dev/null) in
*-O0*) skip_all 'the recorder is not optimised, so that its frames are large' ;;
esac
stack_room >alone || fail 'alone'
num "$(wc -l <alone)" -eq 12 'twelve kinds of calls are measured'

# What the family takes alone is what a program must leave room for in any case: which of its calls
# asks the kernel for memory is chance.
alone=$(sort -k 2,2n alone | tail -n 1 | cut -d ' ' -f 2)
num "$alone" -ge 100 'malloc takes some'

stack_room little >little || fail 'alone, with little room'
is "$(cut -d ' ' -f 1 little)" "$(cut -d ' ' -f 1 alone)" 'the same kinds where little room is left'

# measured TEXT OPTION...
measured() {
	text=$1
	shift
	run memusage -o report "$@" stack_room
	is "$status" 0 "$text: the program ends well"
	like "$(cat report)" '^ *(malloc|mmap.*)\| *[1-9]|, calls: [1-9]' "$text: its calls are recorded"
	most=$(printf '%s\n' "$out" | sort -k 2,2n | tail -n 1)
	num "${most#* }" -le $((alone + 1024)) "$text: $most bytes, $alone alone" || diag "$out"
	# A call that asks the kernel for memory is deep alone, too: each is compared with itself.
	is "$(printf '%s\n' "$out" | awk 'NR == FNR { alone[$1] = $2 } NR > FNR && /_brk/ &&
		$2 > alone[$1] + 1024 { print $1, $2, alone[$1] }' alone -)" '' "$text: none of _brk more"
}

# measured_little TEXT OPTION...: with 1,000 bytes left on an alternate signal stack, no stack is walked.
measured_little() {
	text=$1
	shift
	run memusage -o report "$@" stack_room little
	is "$status" 0 "$text, little room: the program ends well"
	like "$(cat report)" 'end too early .*: [0-9]+ of' "$text, little room: short stacks are counted"
	most=$(printf '%s\n' "$out" | sort -k 2,2n | tail -n 1)
	num "${most#* }" -le $((alone + 768)) "$text, little room: $most bytes, $alone alone" || diag "$out"
}

measured 'counting'
measured 'data file' --no-timer --data=out.dat
measured 'mappings' -m
measured '--top' --top
measured '--leaks' --leaks
measured '--record' --record=out.mur
for seed in 1 2 3 4; do
	MEMUSAGE_SAMPLE_SEED=$seed
	export MEMUSAGE_SAMPLE_SEED
	measured "--sample, seed $seed" --sample=1K --record=out.mur
done
measured '--massif' --massif-out-file=out
measured '--massif, each snapshot with its tree' --massif-out-file=out --detailed-freq=1 \
	--time-unit=B --max-snapshots=500
measured '--dhat' --dhat-out-file=out
measured '--snapshot-when' --snapshot-when='heap>1K' --snapshot-file=out.%n
measured '--xtree-memory=full' --xtree-memory=full --xtree-memory-file=out
measured '--pages-as-heap' --pages-as-heap=yes --massif-out-file=out
measured '--client-requests' --client-requests=yes --top
for mode in --top --leaks '--record=out.mur' '--sample=1K --record=out.mur' '--massif-out-file=out'; do
	# shellcheck disable=SC2086  # options
	measured_little "$mode" $mode
done
done_testing
