#!/bin/sh
# leak_monitor.t -- `memusage --pid=PID leak_check` is Memcheck's monitor command of this name: the
# same words, and the same report after each step of a program that loses blocks.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint leak_steps
need_libdw
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

ask() { memusage --pid="$program" leak_check "$@"; }
tell() { memusage --pid="$program" "$@"; }
begin_recorded() {
	begin_steps memusage -q "$@" leak_steps
	program=$(pids leak_steps "$launcher" | head -1)
}

# ---- without Valgrind -------------------------------------------------------------------------
begin_recorded --leak-check=full -o end.log
ask >first.log 2>&1
is "$(sed -n '/loss record 6/s/^==[0-9]*== //p' first.log)" \
	"96 (+96) (32 (+32) direct, 64 (+64) indirect) bytes in 1 (+1) blocks are definitely lost in\
 loss record 6 of 6" 'at first everything is new'
is "$(ask | grep -c 'in loss record')" 0 'a second check shows what has increased: nothing'
step
is "$(ask new | grep -c 'in loss record')" 1 'new: records that were not there'
step
step
like "$(ask full reachable changed)" \
	'^==[0-9]+== 0 \(-44\) bytes in 0 \(-1\) blocks are still reachable in loss record' \
	'changed: also what is gone'
is "$(ask any | grep -c 'in loss record')" 3 'any: all of them'
like "$(ask any limited 1)" 'in loss record 10 of 10$' 'limited 1: the largest one'
is "$(ask any limited 1 | grep -c 'in loss record')" 1 '... alone'
is "$(ask defin any unl | grep -c 'definitely lost in loss record')" 3 'words can be abbreviated'
like "$(ask summary)" "^==[0-9]+== To see details of leaked memory, give 'full' arg to leak_check$" \
	'a summary says how to see more'
run ask any ./kept.mur
is "$status$out" 0 'with the name of a file a recording is kept'
like "$(memusageprint --leak-check kept.mur)" 'definitely lost in loss record 10 of 10$' \
	'... of which memusageprint prints the check'
for words in limited 'limited 0' 'limited x' kinds everything; do
	# shellcheck disable=SC2086  # several words
	run ask $words
	is "$status" 125 "leak_check $words is an error"
done
like "$err" 'unknown word everything; it takes full, summary or xtleak' '... that says what there is'
run tell block_list 10..10
is "$(echo "$out" | grep -c '^==[0-9]*==  *0x[0-9A-F]*\[32\] indirect loss record [0-9]*$')" 3 \
	'block_list prints blocks, and what is lost with them'
run tell block_list 11
is "$status" 125 '... of records that there are'
like "$err" 'there is no loss record 11' '... and says so otherwise'
run tell block_list first
like "$err" 'block_list: it takes the number of a loss record' '... it takes numbers'
address=$(sed -n '$s/ready //p' output)
is "$(tell who_points_at "$address" | grep -c 'points at')" 2 'who_points_at finds two pointers'
is "$(tell who_points_at "$address" 10 | grep -c 'interior points at 9 bytes inside')" 1 \
	'... one more into the first ten bytes'
run tell who_points_at here
like "$err" 'who_points_at: it takes an address' '... of an address'
step
ask >/dev/null
end_steps
is "$(grep -c 'HEAP SUMMARY' end.log)" 1 'the end of the run is reported'
is "$(grep -c 'LEAK SUMMARY' end.log)" 1 '... and nothing that a client has seen already'

# ---- the requests of the program see what clients have asked for ------------------------------------
begin_steps memusage -q --leak-check=full -o end.log leak_requests wait
program=$(pids leak_requests "$launcher" | head -1)
ask >log
is "$(leak_sums log)" '100/1 0/0 50/1 0/0' 'a check after one that the program made'
like "$(ask summary any; ask)" 'definitely lost: 100 \(\+0\) bytes' '... is compared with it'
printf x >&3
until_true grep -q last errors
is "$(ask summary changed | grep -c '(+0) bytes in')" 5 '... and so is one after the last'
end_steps
like "$(cat end.log)" '^==[0-9]+== 30 \(\+30\) bytes in 1 \(\+1\) blocks are definitely lost' \
	'what the program asked for is compared with what the client has seen'
is "$(grep -c 'LEAK SUMMARY' end.log)" 5 '... and the report has the checks of the program'

# ---- compared with Memcheck ---------------------------------------------------------------------
if ! command -v vgdb >/dev/null || ! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no Valgrind 3.19 is installed' 3
	done_testing
fi
# report FILE: what does not depend on where code and blocks are. Valgrind also tells which frame a
# pointer on a stack is in.
report() {
	sed -E 's/^==[0-9]+== ?//; s/0x[0-9A-Fa-f]+/0x/g; s/0x: //; s/(malloc|calloc) \(in .*/\1/
		/^ in frame #/d' "$1" | leak_as_old
}
# What both are asked, in order; + is a step.
cat >questions <<'END'
leak_check summary
leak_check full
+
leak_check full increased
leak_check full
leak_check full changed
leak_check full reachable any
block_list 1
block_list 2
block_list 1..9
block_list 3..9 limited 2
+
leak_check full kinds all changed
block_list 1..20
leak_check full reachable changed
leak_check full reachable any
block_list 4
block_list 5..6
leak_check full definite any
leak_check full possibleleak any
who_points_at ADDRESS
who_points_at ADDRESS 10
who_points_at ADDRESS 9
+
leak_check full kinds indirect,reachable
block_list 1..20
leak_check full any heuristics all kinds all
+
leak_check summary increased
leak_check full changed kinds definite
END
ask_all() {
	while read -r words; do
		if [ "$words" = + ]; then
			step
			continue
		fi
		echo "# $words"
		words=$(echo "$words" | sed "s/ADDRESS/$(sed -n '$s/ready //p' output)/")
		# shellcheck disable=SC2086  # several words
		"$@" $words 2>/dev/null
	done <questions
}
begin_steps valgrind --run-libc-freeres=no --leak-check=full --vgdb=yes --vgdb-prefix="$PWD/vgdb" \
	--log-file=vg.log leak_steps
ask_all vgdb --vgdb-prefix="$PWD/vgdb" >vg.answers
end_steps
begin_recorded --leak-check=full -o mu.log
ask_all tell >mu.answers
end_steps
report vg.answers >vg.said
report mu.answers >mu.said
num "$(grep -c 'in loss record' vg.said)" -gt 15 'Memcheck has answered'
same mu.said vg.said 'every answer is that of Memcheck'
sed -n '/HEAP SUMMARY/,/For lists/p' vg.log | grep -v 'For lists' >vg.end
report vg.end >vg.said
sed -n '/HEAP SUMMARY/,/ERROR SUMMARY/p' mu.log | grep -v 'ERROR SUMMARY' >mu.end
report mu.end >mu.said
same mu.said vg.said '... and so is the report at the end'
done_testing
