#!/bin/sh
# sample.t -- With --sample the program notices nothing, calls and bytes stay exact, and places are
# estimated without bias: in threads, forked children, after realloc, and when there are too many.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/sampling.sh"
need_bin memusage sampled sampled_own family
need python3

member() { # FILE NAME of "sampling"
	sed -n "s/^\"sampling\":{.*\"$2\":\([0-9]*\).*/\1/p" "$1"
}

# The program, and exact figures.
run sampled
plain=$out
run memusage --sample=16K --record=run.mur -o report -- sampled
is "$status" 0 'the status is the program'\''s'
is "$out" "$plain" 'and so is the output'
memusage -o exact -- sampled >exact.out
is "$(sed -n '/malloc|/s/  */ /gp' report)" "$(sed -n '/malloc|/s/  */ /gp' exact)" \
	'calls and bytes of malloc are exact'
is "$(sed -n 's/.*free| *\([0-9]*\).*/\1/p' report)" \
	"$(sed -n 's/.*free| *\([0-9]*\).*/\1/p' exact)" 'calls of free, too'
is "$(grep -vc ^memusage report)" "$(grep -vc ^memusage exact)" 'the histogram has as many lines'
is "$(sed -n '/^ *[0-9]*-[0-9]* /p' report)" "$(sed -n '/^ *[0-9]*-[0-9]* /p' exact)" \
	'and the same ones'
unlike "$(cat report)" 'unknown\|never seen' 'a free of an unsampled block is no error'
run memusageprint --top run.mur
like "$err" 'are estimates: about one block in 16\.0 KiB was sampled' 'a report says that it estimates'
memusageprint --to=json run.mur >run.json
is "$(member run.json bytes)" 16384 'JSON has the distance'
num "$(member run.json samples)" -gt 500 'and the samples'

# Bounds.
like "$(cat report)" '^memusage: estimates: heap peak [0-9.]* MiB [-+0-9. ]*, heap at the end' \
	'the summary has bounds'
memusage --sample=16K -o threads.txt -- sampled threads 4 >threads.out
like "$(cat threads.txt)" '^memusage: estimates: heap peak ' 'the summary of a program with threads, too'
unlike "$(cat threads.txt)" 'is exact to within' '... and does not call them exact besides'
for kind in top leaks; do
	memusageprint --$kind=30 --group=function run.mur >$kind.txt 2>err
	ok "bounds of --$kind are those of the JSON, and are summed as variances are" \
		python3 "$MU_SRC/tests/lib/bounds.py" list $kind.txt run.json
done
for tree in peak end total; do
	memusageprint --tree=$tree --threshold=0 run.mur >tree.txt 2>err
	ok "those of --tree=$tree, too" python3 "$MU_SRC/tests/lib/bounds.py" tree tree.txt run.json
done
like "$(cat top.txt)" 'missing; it has at most 59.0 KiB' 'and what a place has that was not seen'

for arguments in plain malloc realloc calloc; do
	family "$arguments" >want 2>&1
	memusage --sample=1K -q -- family "$arguments" >got 2>&1
	same got want "family $arguments does not notice it"
done

# Estimates. The seeds are fixed, so that the test cannot fail by chance; of so few runs a mean may be
# further from the truth than of the 200 of tests/slow/sample.t.
ok 'runs with 12 seeds' estimate_runs plain 12 16K
estimates plain 12
num "$worst" -lt 8 'the means of all places are near the truth'
num "$covered" -ge 85 'and most intervals contain it'
ok 'runs with 8 seeds in threads' estimate_runs threads 8 32K threads 4
estimates threads 8
num "$worst" -lt 10 'places of several threads'
ok 'runs with 10 seeds of realloc' estimate_runs realloc 10 16K realloc
estimates realloc 10
num "$worst" -lt 8 'blocks that realloc has made'
num "$covered" -ge 80 'and their intervals'

# Other tools are told.
said='estimates: about one block in 16.0 KiB was sampled; heap peak [0-9.]* MiB [-+0-9. ]*'
for format in massif callgrind pprof; do
	memusageprint --to=$format -o export.$format run.mur 2>err
done
python3 "$MU_SRC/tests/lib/pprof.py" export.pprof >pprof.txt
like "$(cat pprof.txt)" "^default peak_space comment .*sampled | $said" 'pprof: a comment'
like "$(cat pprof.txt)" '^period 16384 space/bytes' 'pprof: the period'
like "$(cat export.massif)" "^desc: $said" 'massif.out: the description'
like "$(cat export.callgrind)" "^desc: $said" 'callgrind: the description'
command -v ms_print >/dev/null && {
	ms_print export.massif >massif.txt
	is "$?" 0 'ms_print reads it'
	like "$(cat massif.txt)" "^ $said" '... and says so'
}
command -v callgrind_annotate >/dev/null && {
	callgrind_annotate export.callgrind >annotated
	is "$?" 0 'callgrind_annotate reads it'
	like "$(cat annotated)" "^$said" '... and says so'
}
memusage -q --record=exact.mur -- sampled >out
for format in massif callgrind pprof; do
	memusageprint --to=$format -o export.$format exact.mur
	unlike "$(gunzip <export.$format 2>err || cat export.$format)" estimates "$format: not of all blocks"
done

# The page has the same intervals.
if command -v node >/dev/null && memusagestat --html=run.html run.mur 2>err; then
	for moment in peak end total; do
		for what in bytes blocks; do
			node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" run.html \
				${moment}_$what function bounds >page.txt
			ok "the page: intervals of ${moment}_$what" python3 \
				"$MU_SRC/tests/lib/bounds.py" "page_${moment}_$what" page.txt run.json
		done
	done
	node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" run.html growth function bounds >page.txt
	ok 'the page: intervals of what grew' python3 "$MU_SRC/tests/lib/bounds.py" page_growth_bytes \
		page.txt run.json
	like "$(cat run.html)" '"sampling":.*"bytes":16384' '... and the mean distance'
else
	skip 'no page, or no node'
fi

# All that may tell of blocks is sampled alike: functions that are changed in memory, client requests,
# and children in their parent's memory, or unknown to the recorder. estimates_like_exact FOLDER
# [ARG]... : the exact run has the truth, and 10 sampled ones are near it.
estimates_like_exact() {
	name=$1
	shift
	ok "$name: an exact run" estimate_runs "$name-exact" 1 all "$@"
	estimates "$name-exact" 1
	is "$worst" 0 "$name: has the truth"
	ok "$name: runs with 10 seeds" estimate_runs "$name" 10 16K "$@"
	num "$(member "$name/1.json" samples)" -gt 500 "$name: were sampled"
	estimates "$name" 10
	num "$worst" -lt 10 "$name: estimates without bias"
	num "$covered" -ge 82 "$name: and their intervals"
}
if [ "$(uname -m)" = x86_64 ]; then
	program=sampled_own
	estimates_like_exact own-malloc plain
	program=sampled
	options='--alloc-symbol=pool_take:size=arg1 --free-symbol=pool_give'
	estimates_like_exact alloc-symbol pool
	options=
	if [ "$(sampled macros | head -1)" = 'no headers' ]; then
		skip "Valgrind's headers are not there"
	else
		options=--client-requests=yes
		estimates_like_exact macros macros
		options=
	fi
else
	skip 'code is changed on x86-64 only'
fi
estimates_like_exact requests requests
estimates_like_exact vfork vfork 2
about_child=yes
# Its seed has its process ID in it, so these runs are not the same each time.
estimates_like_exact raw-clone raw 1
about_child=

# What places held at the peak is the peak, to the byte, also if its last block is freed at once.
for arguments in plain swing realloc; do
	# "plain" is no argument that the program knows.
	memusage -q --sample=16K --massif --detailed-freq=1 --massif-out-file=massif.out --record=peak.mur -- \
		sampled "$arguments" >out
	memusageprint --to=json peak.mur >peak.json
	ok "$arguments: the places of the peak make the peak" python3 "$MU_SRC/tests/lib/peak_sums.py" \
		peak.json massif.out
done

# Pictures. peak.mur has snapshots.
if memusagestat --flame=end -o flame.svg run.mur 2>err; then
	like "$(cat flame.svg)" '>[0-9.]* MiB [+]- [0-9.]* .estimated. live at the end[.] Each' \
		'a flame graph has bounds'
	memusagestat --flame -o flame.svg exact.mur
	unlike "$(cat flame.svg)" estimated 'not that of all blocks'
	memusagestat --bands -o bands.svg peak.mur
	like "$(cat bands.svg)" 'snapshots; estimates: a block in 16[.]0 KiB was sampled' 'bands say so'
else
	skip 'no pictures'
fi

# Too many.
MEMUSAGE_SAMPLE_LIMIT=400
export MEMUSAGE_SAMPLE_LIMIT
ok 'runs with 12 seeds and at most 400 live samples' estimate_runs thin 12 auto
num "$(member thin/1.json bytes)" -eq 131072 'there are not so many of 128 KiB'
MEMUSAGE_SAMPLE_LIMIT=20
ok 'runs with 12 seeds and at most 20' estimate_runs thin 12 auto
num "$(member thin/1.json bytes)" -gt 131072 'now the distance has doubled'
num "$(member thin/1.json thinned)" -gt 20 'samples were given up'
num "$(member thin/1.json live)" -le 20 'as many as there may be are left'
estimates thin 12 live
num "$worst" -lt 8 'and their sums are near the truth'
unset MEMUSAGE_SAMPLE_LIMIT

# Children draw other random numbers.
MEMUSAGE_SAMPLE_SEED=7 memusage -q --sample=16K --record=fork.mur -- sampled fork 3 >fork.out
is "$(memusageprint --processes fork.mur | sed -n '/ sampled /s/^ *[0-9]* *[0-9]*//p' |
	sort -u | grep -c MiB)" 3 'three children have three estimates'

# Nothing was sampled: that is not nothing.
# A seed with which the first sample is behind the end.
MEMUSAGE_SAMPLE_SEED=1 memusage -q --sample=256M --record=none.mur -- sampled >none.out
memusageprint --summary none.mur >none.txt 2>err
like "$(cat none.txt)" 'heap peak 0 B [+]18[.]7 MiB, heap at the end 0 B [+]18[.]7 MiB, with' \
	'a summary without samples says what there may have been'
for report in --top --leaks --tree --tree=end; do
	like "$(memusageprint $report none.mur 2>err)" \
		'^no sampled block was live .*; others had at most 18[.]7 MiB \(97[.]5 %\)$' \
		"... and so does $report"
done
memusageprint --to=json none.mur >none.json
like "$(cat none.json)" '"peak":\{"samples":0,"bytes":\[0,19602616\],"blocks":\[0,[1-9][0-9]*\]\}' \
	'... and JSON'

# A heap of which more was sampled than the program asked for: one heap has one error.
cat >asked.c <<'END'
#include <stdlib.h>
int main(void) { for (int i = 0; i < 3000; i++) *(volatile char *)malloc(i + 1) = 1; return 0; }
END
ok 'a program without frees' cc -g -O1 -o asked asked.c
for seed in 1 2 3 4 5 6 7 8; do
	MEMUSAGE_SAMPLE_SEED=$seed memusage -q --sample=64K --record=asked.mur ./asked
	memusageprint --to=json asked.mur >asked.json
	for report in top tree; do
		memusageprint --$report asked.mur 2>/dev/null
	done | sed -n 's/.*[^0-9.]\([0-9.]* MiB [-+][-+0-9. ]*[0-9]\)[ ,].*live when.*/\1/p; /blocks, live when/{
		s/ in .*//p
	}' | sort -u >headlines
	memusageprint --summary asked.mur 2>/dev/null | sed -n 's/.*estimates: heap peak \([^,]*\),.*/\1/p' >>headlines
	sort -u headlines
done >asked.out
is "$(wc -l <asked.out)" 8 'the same heap has the same bounds in all reports'
like "$(cat asked.out)" ' [+]0[.]00' '... and no more than was asked for'
like "$(memusageprint --plot run.mur 2>err)" '^live at the peak: [0-9.]* MiB ([+]-|-[0-9.]* [+])[ 0-9.]* .95 %' \
	'a plot has bounds'
memusageprint --processes run.mur >processes.txt
like "$(cat processes.txt)" '^Bytes are estimates from samples' 'a list of processes says what it has'
like "$(cat processes.txt)" '^ *[0-9]+ +[0-9]+( +[0-9.]+ MiB [-+0-9. ]*){3} +[0-9.]+ m?s ' '... with bounds'
memusage --sample=16K -o family -- sampled fork 2 >family.out
is "$(grep -c 'since its fork.*, estimated: heap peak [0-9.]* MiB [-+0-9. ]* (95 %)$' family)" 2 \
	'the lines of processes have bounds'
memusageprint --to=speedscope run.mur >speedscope.json 2>err
like "$(cat speedscope.json)" "^\"name\":\"sampled .$said" 'speedscope: the name'
like "$(cat err)" "are $said" '... and the message of what has no place for it'

# The counters are exact: no estimate of the heap is above them, in no report, of no child.
cat >few.c <<'EOF'
/* few.c -- has 8,192 bytes at its peak, and its child 12,288. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	void *volatile kept;

	for (int i = 0; i < 8; i++)
		kept = malloc(1024);
	if (fork() == 0) {
		for (int i = 0; i < 4; i++)
			kept = malloc(1024);
		_exit(kept == NULL);
	}
	wait(NULL);
	return kept == NULL;
}
EOF
ok 'a program with few blocks' cc -g -O1 -o few few.c
for seed in 1 2 3 4 5 6 7 8; do
	MEMUSAGE_SAMPLE_SEED=$seed memusage --sample=4K --record=few.mur --fail-if='heap peak > 12288' \
		--fail-if='heap peak at main > 12288' -o few.txt ./few
	grep -h 'heap peak' few.txt
	memusageprint --to=json few.mur 2>err | sed -n 's/^"heap":{"now":\([0-9]*\),"peak":\([0-9]*\),.*/json \1 \2/p'
	memusageprint --top few.mur 2>err | sed -n 's/.*of the \([0-9.]* KiB [-+].*\) live when.*/top \1/p'
done >few.all
is "$(sed -n 's/.*heap total: 8192, heap peak: \([0-9]*\),.*/\1/p' few.all | sort -n | tail -n 1)" 8192 \
	'a heap peak has no more than was asked for'
is "$(grep -c 'heap total: 8192' few.all)" 8 '... in all runs'
is "$(sed -n 's/.*heap total: 4096, heap peak: \([0-9]*\),.*/\1/p' few.all |
	awk '$1 > 12288 { n++ } END { print n + 0, NR }')" '0 8' "... with the parent's blocks, of a child"
is "$(sed -n 's/^json //p' few.all | tr ' ' '\n' | sort -n | tail -n 1)" 8192 '... in JSON'
like "$(cat few.all)" '^top 8\.00 KiB -[0-9.]* \+0\.00' '... in a list of places'
is "$(grep -c '> 12288: .*over the limit' few.all)" 0 '... and for a limit'
is "$(grep -c '> 12288: .*(an estimate: ' few.all)" 16 '... of which all were judged'

# A heap of 2 MB whose blocks are replaced 100 times: its peak is that of the noise
cat >replaced.c <<'EOF'
#include <stdlib.h>
enum { BLOCKS = 20000 };
int main(void)
{
	static void *block[BLOCKS];
	unsigned int next = 1;

	for (int i = 0; i < BLOCKS; i++)
		block[i] = malloc(100);
	for (int i = 0; i < 100 * BLOCKS; i++) {
		void **at = &block[(next >> 8) % BLOCKS];

		next = next * 1103515245 + 12345;
		free(*at);
		*at = malloc(100);
	}
	return 0;
}
EOF
ok 'a program that replaces its blocks' cc -g -O1 -fno-builtin -o replaced replaced.c
for seed in 1 2 3 4 5 6 7 8; do
	MEMUSAGE_SAMPLE_SEED=$seed memusage -q --sample=128K --fail-if='heap peak > 2000000' \
		--fail-if='blocks at main > 20000' -o replaced.txt ./replaced
	echo "status $?"
done >replaced.all
num "$(grep -c 'status 0' replaced.all)" -ge 7 'noise passes no limit of the peak'
memusage -q --sample=128K --record=replaced.mur ./replaced
like "$(memusageprint --top replaced.mur)" 'A peak, and the places at it, may be too high' \
	'a list says that the peak may be too high'

# Marks and snapshots of a process that runs.
MEMUSAGE_SAMPLE_SEED=1 memusage -q --sample=16K --record=early.mur -- sampled early \
	"memusage -q --pid=\$PID snapshot early.out; memusage -q --pid=\$PID mark early" >early.txt 2>err
like "$(cat early.out)" "^desc: $said, now [0-9.]* MiB [-+0-9. ]*[1-9] .95" 'a snapshot of one that runs'
like "$(memusageprint --marks early.mur 2>err)" '^ *[0-9.]* s +[0-9.]* MiB [-+0-9. ]*  early$' 'a mark'
like "$(memusageprint --summary early.mur 2>err)" \
	'live blocks of the heap .estimate.: [+]- [0-9.]*, with a probability' 'a part of the memory'
memusageprint --to=json early.mur >early.json 2>err
ok '... of both in JSON the truth is within them' python3 -c '
import json
run = json.load(open("early.json"))
places = [line.split() for line in open("early.txt")]
low, high = run["marks"][0]["heap_95"]
assert low <= sum(int(place[5]) for place in places) <= high
low, high = run["memory"]["heap_95"]
assert low <= run["memory"]["heap"] <= high and low < high
for shot in run["snapshots"]:
    low, high = shot["heap_95"]
    assert low <= shot["heap"] <= high
one = run["processes"][0]
for name in "peak", "own_peak", "own_live":
    low, high = one[name + "_95"]
    assert low <= one[name] <= high and low < high
assert one["peak_95"][0] <= sum(int(place[3]) for place in places) <= one["peak_95"][1]'

# Refused.
run memusage --pid=$$ --sample=64K start
is "$status" 125 'the distance of samples belongs behind the command'
like "$err" "with --pid=$$ give the command start --sample" '... which the message says'
for other in --data=x --png=x.png --dhat --accesses=hooks --mode=copy --pages-as-heap=yes; do
	run memusage --sample $other -- true
	is "$status" 125 "refused with $other"
done
for bytes in 0 512 1G 100x ''; do
	run memusage --sample=$bytes -- true
	is "$status" 125 "--sample=$bytes is refused"
done
memusage -q --sample=100000 --record=odd.mur -- sampled >odd.out 2>odd.err
memusageprint --to=json odd.mur >odd.json
is "$(member odd.json bytes)" 131072 'another number is rounded up to a power of two'
is "$(cat odd.err)" "memusage: --sample=100000 is rounded up to 128 KiB: $(:
	)the distance of samples is a power of two" '... which memusage says'
run memusage -q --sample=128K -- true
is "$status:$err" 0: '... of no power of two'
done_testing
