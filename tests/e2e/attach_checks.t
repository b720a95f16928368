#!/bin/sh
# attach_checks.t -- a process that memusage has attached to can be examined as one that it has started:
# blocks from before hold others, and can be lost, too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint earlier_leaks
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

# begin [ARG]: starts the program; work: it makes more, and says so
begin() { begin_stranger earlier_leaks "$@"; }
work() {
	printf a >&3
	until_true grep -q 'done' output
}
# is_examined TEXT: the checks in run.mur are right. 30 blocks of 200 bytes, which are 30 of 200 to
# malloc, and 40 of 400 are lost. A register may hold the last one of each.
is_examined() {
	memusageprint --leak-check=full --show-leak-kinds=all run.mur >checked
	like "$(cat checked)" ' (16,000|15,600) bytes in (40|39) blocks are definitely lost' \
		"$1: blocks that were lost meanwhile"
	like "$(cat checked)" ' 6,000 bytes in 30 blocks are definitely lost' '... and before'
	like "$(cat checked)" ' 6,000 bytes in 20 blocks are still reachable' \
		'... none that an older block holds'
	like "$(grep -A1 '6,000 bytes in 30 blocks' checked)" '\[before the attach\]' '... by name'
	memusageprint --holders run.mur >held
	like "$(cat held)" 'chain' '... and what holds the heap'
	like "$(cat held)" '^ *11.7 KiB .* lost|^ *2[0-9]\.[0-9] KiB .* lost' '... or nothing'
}

begin
ok 'a process is recorded for a leak check' attach "$program" -o report --record=run.mur \
	--leak-check=full --holders
work
detach
is "$status" 0 '... and left'
is_examined 'at the detach'
like "$(cat report)" '^==[0-9]+== LEAK SUMMARY:' 'the report has it'
like "$(cat report)" '^==[0-9]+==     in use at detach: ' '... and says of when it is'
unlike "$(cat attach.err)" 'not examined' 'nothing is wanting'

# ---- asked for ------------------------------------------------------------------------------------

attach "$program" -o report --record=run.mur
run memusage --pid="$program" -q leak_check full kinds all
like "$out" ' in 70 .* blocks are definitely lost' 'a client is told of blocks from before'
detach
end_stranger
is "$ended" 0 'the process ends as alone'

begin
attach "$program" -o idle --record=run.mur --leak-check=summary
detach
like "$(cat idle)" 'total heap usage: [1-9][0-9,]* allocs, 0 frees, ' 'all blocks may be from before'
end_stranger

# ---- at the end of the process ----------------------------------------------------------------------

for how in '' orderly; do
	# shellcheck disable=SC2086 # none or one
	begin $how
	attach "$program" -o report --record=run.mur --leak-check=full --holders --fail-if='leaks > 1M'
	work
	end_stranger
	is "$ended" 0 "a process that ends itself ${how:-at once}"
	status=0
	wait "$attacher" || status=$?
	is "$status" 0 '... within its limit'
	is_examined '... is examined'
done

# It has done nothing since the attach that a recorder would notice; a thread costs a block.
for how in '' orderly return thread; do
	# shellcheck disable=SC2086 # none or one
	begin $how
	attach "$program" -o report --record=run.mur --leak-check=full --holders --fragmentation \
		--fail-if='leaks > 5k'
	end_stranger
	is "$ended" 0 "a process that only ends: ${how:-at once}"
	status=0
	wait "$attacher" || status=$?
	is "$status" 100 '... is judged'
	like "$(cat report)" ' 6,000 bytes in 30 blocks are definitely lost' '... and examined'
	memusageprint --holders run.mur >held
	like "$(cat held)" '^ *2.03 KiB .* 20 .*earlier_leaks' '... as is what holds the heap'
	ok '... and its pages' memusageprint --fragmentation run.mur -o pages
done
for how in call killed; do
	begin $how
	attach "$program" -o report --record=run.mur --leak-check=full --holders --fail-if='leaks > 5k'
	end_stranger
	status=0
	wait "$attacher" || status=$?
	is "$status" 125 "a process that ends otherwise ($how) is not judged"
	why='because it (was killed|ended by neither)'
	like "$(cat attach.err)" "process $program: no leak check was made, $why.*: ask" \
		'... which is said'
	run memusageprint --holders run.mur
	like "$err" "process $program: what holds its blocks was not examined, $why" \
		'... also of what holds the heap'
done

# ---- limits -----------------------------------------------------------------------------------------

begin
attach "$program" -o judged --fail-if='leaks > 10k'
work
detach
is "$status" 100 'a limit of leaks that is exceeded'
end_stranger

# ---- a condition ------------------------------------------------------------------------------------

begin
attach "$program" -o report --snapshot-when='heap>400k' --snapshot-file=snapshot.%n --record=run.mur
work
ok 'below the threshold the process stays recorded' kill -0 "$attacher"
printf b >&3
status=0
wait "$attacher" || status=$?
is "$status" 0 'a condition of --snapshot-when ends the recording'
like "$(cat attach.err)" "process $program runs on without the recorder" '... and says so'
like "$(cat report)" 'snapshot of process [0-9]+ \(heap>400k\): snapshot.1' '... with its snapshot'
ok '... without a trace' sh -c "! grep -q memfd:memusage /proc/$program/maps"
end_stranger
is "$ended" 0 'the process ends as alone'
# ---- without a call since the attach -------------------------------------------------------------

# No object has called malloc, so the recorder has noted none.
begin_stranger holder_roots
run memusage --attach="$program" --holders --duration=1ms -q -o report
is "$status" 0 'what holds the blocks of a process that allocates nothing'
for name in global_block hidden ring; do
	# clang names a static variable of a function with its function
	like "$(cat report)" "[ .]$name in holder_roots" "... the variable $name"
done
like "$(cat report)" 'local_block.* in holder_roots' '... a thread-local one'
unlike "$(cat report)" 'the file .*/holder_roots' '... none is but the name of a file'
end_stranger
done_testing
