#!/bin/sh
# leak_check.t -- memusage --leak-check finds the blocks that Memcheck finds, and prints them as it
# does. tests/real/leaks_compare.t compares many more programs.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leaks leaks_cxx earlier_leaks
need_libdw
PATH=$WORKLOADS:$PATH

# ---- without Valgrind -------------------------------------------------------------------------
# lost KIND: the four sums of a check of `leaks KIND`
lost() {
	memusage --leak-check=summary -o mu.log "$@" >/dev/null
	leak_sums mu.log
}

is "$(lost leaks lost_list)" '40/1 1160/29 0/0 0/0' 'a lost list'
is "$(lost leaks held_list)" '0/0 0/0 0/0 1200/30' '... and one that a variable holds'
is "$(lost leaks lost_rings)" '120/3 2120/53 0/0 360/9' 'cycles have one leader each'
is "$(lost leaks interior)" '48/1 0/0 500/12 0/0' 'pointers to the middle of a block'
is "$(lost leaks in_static_tls)" '60/1 0/0 0/0 200/5' 'thread-local storage'
# An old word in a frame of a thread may be the address of its block, so not all are asked for: with
# glibc 2.43 there are such words in 6 or 7 of 10, with 2.31 in 9, between them in 3 at most.
least=1
case $(getconf GNU_LIBC_VERSION) in
*' 2.3'[6-9] | *' 2.4'[01]) least=7 ;;
esac
num "$(lost leaks by_waiting_threads | sed 's,^[0-9]*/,,; s, .*,,')" -ge $least \
	'threads that lose a block and then wait'
is "$(lost leaks in_mappings)" '81/2 240/6 0/0 320/8' 'mappings'
is "$(lost leaks by_immediate_exit)" '83/1 0/0 0/0 82/1' 'a process that leaves by _exit'
# The memory that libstdc++ keeps for exceptions is 1 KiB larger since version 13.
like "$(lost leaks_cxx second_base)" '^64/1 54/1 0/0 7(2940|3964)/5$' 'a pointer to a second base class'

memusage --leak-check=full -o mu.log leaks lost_list
like "$(cat mu.log)" '^==[0-9]+== HEAP SUMMARY:$' 'the report begins as that of Memcheck'
like "$(cat mu.log)" '^==[0-9]+==     in use at exit: 1,200 bytes in 30 blocks$' '... with the heap'
like "$(cat mu.log)" '^==[0-9]+==   total heap usage: 30 allocs, 0 frees, 1,200 bytes allocated$' \
	'... and what the run allocated'
like "$(cat mu.log)" \
	'^==[0-9]+== 1,200 \(40 direct, 1,160 indirect\) bytes in 1 blocks are definitely lost in loss record 2 of 2$' \
	'a loss record'
like "$(cat mu.log)" '^==[0-9]+==    at 0x[0-9A-F]+: malloc \(in .*libmemusage\.so\)$' \
	'... its stack begins at malloc'
like "$(cat mu.log)" '^==[0-9]+==    by 0x[0-9A-F]+: make_list \(leaks\.c:[0-9]+\)$' '... and goes on'
unlike "$(cat mu.log)" 'are indirectly lost in' 'indirectly lost blocks are not shown'
memusage --leak-check=full --show-leak-kinds=indirect -o mu.log leaks lost_list
like "$(cat mu.log)" '^==[0-9]+== 1,160 bytes in 29 blocks are indirectly lost in loss record 1 of 2$' \
	'... unless they are asked for'
memusage --leak-check=yes --leak-resolution=low --show-leak-kinds=all -o mu.log leaks shared_child
is "$(grep -c ' in loss record ' mu.log)" 2 'with low resolution two frames tell stacks apart'
memusage --leak-check=summary -o mu.log leaks nothing
like "$(cat mu.log)" 'All heap blocks were freed -- no leaks are possible$' 'nothing is left'
memusage --leak-check=full --leak-check-heuristics=none -o mu.log leaks length_first
is "$(leak_sums mu.log)" '0/0 0/0 320/3 0/0' 'without heuristics they are possibly lost'
memusage --leak-check=full --leak-check-heuristics=all -o mu.log leaks behind_header
is "$(leak_sums mu.log)" '0/0 0/0 3590/40 320/1' 'blocks behind headers are possibly lost for Memcheck'
memusage --leak-check=full --leak-check-heuristics=all,header -o mu.log leaks behind_header
is "$(leak_sums mu.log)" '0/0 0/0 1400/20 2510/21' '... and reachable if headers are looked for'
like "$(cat mu.log)" '^==[0-9]+==                         header             : 2,190 bytes in 20 blocks$' \
	'... which the summary says'
run memusage --leak-check=full --leak-check-heuristics=none,header -o mu.log leaks nothing
like "$err" 'is none of all, none, or a list of .*multipleinheritance, header$' '... and the help of errors'

run memusage --leak-check=full --error-exitcode=9 -o mu.log leaks lost_list
is "$status" 9 '--error-exitcode is the status if blocks are lost'
run memusage --leak-check=full --error-exitcode=9 -o mu.log leaks held_list
is "$status" 0 '... and not if none is'
run memusage --leak-check=full --error-exitcode=9 --errors-for-leak-kinds=reachable -o mu.log \
	leaks held_list
is "$status" 9 '... of the kinds that are errors'
run memusage --leak-check=full --error-exitcode=9 -o mu.log sh -c 'exit 3'
is "$status" 3 'a program without leaks ends as alone'

memusage -q --leak-check=no --record=run.mur leaks lost_list
run memusageprint --leak-check run.mur
is "$status" 1 'a recording without a check'
like "$err" 'no leak check was made: that is done by memusage --leak-check=full, and by' '... says how to get one'
mkfifo in out
memusage --leak-check=full -o mu.log live <in >out 3>&- &
launcher=$!
exec 3>in 4<out
echo 'alloc 10 100' >&3
read -r _ <&4
run memusage -q --pid="$launcher" record running.mur
is "$status" 0 'a copy of a recording that is under way'
run memusageprint --leak-check running.mur
like "$err" 'no leak check was made: it was running when the recording was made' \
	'... has no check yet, which is not the fault of the options'
exec 3>&- 4<&-
wait "$launcher"
for end in SEGV ABRT KILL; do
	run memusage --leak-check=full -o mu.log sh -c "kill -$end \$\$"
	like "$(cat mu.log) $err" "no leak check was made, because it was killed by SIG$end: ask while it runs" \
		"a program that is killed by SIG$end was not examined, which is said"
done
run memusage --leak-check=full -o mu.log true
like "$(cat mu.log)" 'in use at exit: 0 bytes in 0 blocks' 'a program that allocates nothing has a report'
like "$(cat mu.log)" 'All heap blocks were freed -- no leaks are possible' '... as Memcheck prints it'
run memusage -q --fail-if='leaks > 0' true
is "$status" 0 '... and has no leaks for --fail-if'
run memusage --holders -o report true
like "$(cat report)" 'no block is live' '... nor anything that is held'
memusage -q --leak-check=full --record=run.mur leaks lost_list
run memusageprint --leak-check=summary run.mur
like "$out" '^==[0-9]+==    definitely lost: 40 bytes in 1 blocks$' 'a recording keeps the check'
like "$(lost earlier_leaks thread </dev/null)" '^6000/30 0/0 0/0 2[0-9]{3}/21$' \
	'a thread that has allocated nothing ends the process'
run memusage --leak-check=full -o mu.log --record=run.mur earlier_leaks killed </dev/null
like "$err" 'no leak check was made, because it was killed by SIGKILL' \
	'a process that is killed'
run memusage --leak-check=full --sample leaks nothing
is "$status" 125 'samples are no basis'
like "$err" 'cannot be used together with --sample' '... which is said'
run memusage --leak-check=full --show-leak-kinds=lost leaks nothing
like "$err" "is none of all, none, or a list of reachable, possible, indirect, definite" \
	'an unknown kind'

# ---- compared with Memcheck ---------------------------------------------------------------------
if ! command -v valgrind >/dev/null || ! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no Valgrind 3.19 is installed' 6
	done_testing
fi
# compare_records PROGRAM ARGUMENT: in mu.records and vg.records. Valgrind's heap is at small addresses,
# and a number on the stack may be one by chance: a difference counts if it is there three times.
compare_records() {
	for _ in 1 2 3; do
		leak_with "$@"
		leak_records vg.log >vg.records
		leak_records mu.log >mu.records
		! cmp -s mu.records vg.records || break
	done
}
for kind in ring_with_tail in_free_memory large_blocks behind_guards beside_the_recorder; do
	compare_records leaks $kind
	same mu.records vg.records "every record of $kind is as with Memcheck"
done
compare_records leaks_cxx shared_cycle
same mu.records vg.records '... and of a cycle of shared pointers'
done_testing
