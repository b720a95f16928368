#!/bin/sh
# leak_tree.t -- --xtree-leak and `leak_check xtleak` write what Memcheck writes: the same events,
# values, stacks and totals, also of what has changed since the check before.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint leaks leak_steps
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

# ---- without Valgrind -------------------------------------------------------------------------
run memusage --xtree-leak=yes -o mu.log leaks lost_list
is "$status" 0 'the program ends as alone'
name=$(echo xtleak.kcg.[0-9]*)
is "$(sed -n 's/^==[0-9]*== xtree leak report: //p' mu.log)" "$PWD/$name" 'the report names the file'
is "$(grep -c 'in loss record' mu.log)" 0 '... which has the records, not the text'
like "$(cat mu.log)" '^==[0-9]+==    definitely lost: 40 bytes in 1 blocks$' '... but the summary'
# Indirectly and definitely lost bytes, those with others, blocks; and their increase.
is "$(sed -n 's/^totals: //p' "$name")" \
	'0 0 1160 1200 1160 0 0 29 1 0 0 1160 1200 1160 0 0 29 1 0 0 0 0 0 0 0 0 0' 'the totals'
like "$(cat "$name")" '^cfn=\([0-9]\) make_list$' 'the functions of a stack'
like "$(cat "$name")" '^cfn=\([0-9]\) malloc$' '... down to malloc'

memusage --xtree-leak=yes --xtree-leak-file=none.kcg -o mu.log leaks nothing
[ -e none.kcg ] && fail 'nothing is left: no file' || pass 'nothing is left: no file'
unlike "$(cat mu.log)" 'xtree leak report' '... and none is named'
run memusage --xtree-leak=often leaks nothing
like "$err" "xtree-leak: 'often' must be yes or no" 'another value is refused'
run memusage --xtree-leak=yes --xtree-leak-file='%q{NOT_THERE}' leaks nothing
like "$err" 'xtree-leak-file=.*NOT_THERE' '... as is a name that cannot be made, before the run'
run memusage --xtree-leak=yes --xtree-leak-file=a.kcg --record=a.kcg leaks nothing
like "$err" '--record and --xtree-leak-file would both write a.kcg' '... or that another output has'

memusage -q --record=run.mur --xtree-leak=yes --xtree-leak-file=at-once leaks interior
run memusageprint --xtree-leak=yes --xtree-leak-file=later run.mur
same later at-once 'what is written later is what was written at once'
is "$out" '' '... without a text, if none is asked for'
memusageprint --xtree-leak=yes --xtree-leak-file=some --show-leak-kinds=possible run.mur
is "$(sed -n 's/^totals: //p' some | cut -d' ' -f1-9)" '0 500 0 0 0 0 12 0 0' '... of some kinds'
if command -v callgrind_annotate >/dev/null 2>&1; then
	run callgrind_annotate --threshold=100 at-once
	is "$status" 0 'callgrind_annotate reads it'
	like "$out" ' PROGRAM TOTALS' '... and finds the totals'
else
	skip 'no callgrind_annotate here' 2
fi

# ---- a process that runs ----------------------------------------------------------------------
# ask_all DIRECTORY COMMAND...: what both are asked; the Nth check writes xtleak.kcg.PID.N
ask_all() {
	where=$1
	shift
	while read -r words; do
		if [ "$words" = + ]; then
			step
		else
			# shellcheck disable=SC2086  # several words
			(cd "$where" && "$@" leak_check $words)
		fi
	done <<'END'
xtleak
xtleak
+
xtleak definite any
full xtleak
xtleak summary
+
+
xt full reachable changed
xtleak kinds all limited 2 any
END
}
# normal FILE: without process IDs, addresses and the directory
normal() { sed -e 's/^pid: .*/pid:/' -e "s,$PWD/,," "$1" | leak_tree_as_old; }

mkdir ours theirs
begin_steps memusage -q --leak-check=full leak_steps
program=$(pids leak_steps "$launcher" | head -1)
(cd ours && memusage --pid="$program" leak_check xtleak own.kcg >log)
is "$(sed -n 's/^==[0-9]*== xtree leak report: //p' ours/log)" "$PWD/ours/own.kcg" \
	'xtleak has the name of a file'
[ -e ours/own.kcg ] && pass '... which is there' || fail '... which is there'
end_steps

if ! command -v vgdb >/dev/null || [ "${LIBDW:-yes}" != yes ] ||
	! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no libdw, or no Valgrind 3.19 is installed' 1
	done_testing
	exit
fi
begin_steps memusage -q --leak-check=full leak_steps
program=$(pids leak_steps "$launcher" | head -1)
ask_all ours memusage --pid="$program" >ours/log 2>&1
end_steps
program=
begin_steps sh -c 'cd theirs && exec "$@"' sh valgrind --run-libc-freeres=no --leak-check=full \
	--vgdb=yes --vgdb-prefix="$PWD/vgdb" --log-file=end.log leak_steps
ask_all . vgdb --vgdb-prefix="$PWD/vgdb" >log 2>/dev/null
end_steps
for number in 1 2 3 4 5 6 7; do
	normal ours/xtleak.kcg.*."$number" >got
	normal theirs/xtleak.kcg.*."$number" >want
	same got want "check $number writes what Memcheck writes"
done
# Memcheck counts only the records of `limited` (docs/compat.md).
grep '(' ours/log | sed 's/^==[0-9]*==//' >got
grep '(' log | sed 's/^==[0-9]*==//' | leak_as_old >want
same got want '... and prints the rest'

# ---- at the end -------------------------------------------------------------------------------
# paragraphs: one line each, sorted: records of equal size come in any order
paragraphs() {
	sed -e '/^events:/G' -e 's/([0-9]*) //' | awk -v RS= '{ gsub(/\n/, "|"); print }' | sort
}
for kind in lost_list held_list lost_rings interior large_blocks length_first; do
	valgrind --run-libc-freeres=no --xtree-leak=yes --xtree-leak-file=vg.kcg \
		--xtree-compress-strings=no leaks $kind >/dev/null 2>&1
	memusage -q --xtree-leak=yes --xtree-leak-file=mu.kcg --xtree-compress-strings=no \
		leaks $kind >/dev/null
	normal vg.kcg | paragraphs >want
	normal mu.kcg | paragraphs >got
	same got want "the end of $kind"
done
done_testing
