#!/bin/sh
# gate.t -- --fail-if ends with status 100 exactly if the condition is true, says by how much, and
# names the place that makes the difference; what cannot be judged never passes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget
need_libdw

budget=$WORKLOADS/budget
# judge STATUS CONDITION TEXT [ARGUMENT]...: of a run of it
judge() {
	want=$1 judged=$2 text=$3
	shift 3
	run memusage -q --fail-if="$judged" "$budget" "$@"
	is "$status" "$want" "$judged: $text"
}
# figure NAME: what the program said of itself
figure() { printf '%s\n' "$out" | sed -n "s/.*$1=\([0-9]*\).*/\1/p"; }

# ---- the figures are those of the program --------------------------------------------------------

run memusage --record=old.mur "$budget" 200 20
like "$out" '^peak=206000 calls=240 lost=6000 temporary=20$' 'the program says what it did'
for what in 'heap peak:peak' 'heap end:lost' 'leaks:lost' 'calls:calls' 'temporary:temporary' \
	'leaks at lose:lost' 'leaks in budget:lost' 'calls at hurry:temporary' \
	'temporary at /^hur/:temporary'; do
	condition=${what%:*}
	run "$budget" 200 20
	number=$(figure "${what#*:}")
	judge 0 "$condition > $number" 'is not more than it is' 200 20
	is "$err" '' '... and nothing is said'
	judge 100 "$condition >= $number" 'is as much as it is' 200 20
	judge 100 "$condition > $((number - 1))" 'is more than one less' 200 20
	like "$err" '^memusage: [^:]*: [0-9].*, 1( B)? over the limit$' '... and it says by how much'
done
judge 100 'blocks > 219' 'blocks at the peak' 200 20
judge 0 'blocks > 220' 'blocks at the peak' 200 20
judge 100 'blocks end > 19' 'blocks at the end' 200 20
judge 0 'blocks end > 20' 'blocks at the end' 200 20
judge 100 'total > 206799' 'all allocations' 200 20
judge 0 'heap total > 206800' 'all allocations' 200 20
judge 100 'stack peak > 100' 'there is a stack' 10
judge 0 'stack peak > 1M' 'it is small' 10
judge 100 'rss peak > 100k' 'there is memory' 10
judge 0 'rss peak > 1G' 'it is not much' 10
judge 0 'mmap peak > 1G' 'calls of mmap are recorded for that' 10
judge 0 'heap peak in libc.so.6 > 0' 'another object allocates nothing' 10
judge 0 'heap peak at missing > 0' 'a function that is not there allocates nothing' 10

# A realloc counts with what it added in the summary's "heap total", and whole at its place.
cat >grown.c <<'END'
#include <stdlib.h>
int main(void)
{
	void *volatile p = NULL;

	for (size_t i = 1; i <= 1000; i++)
		p = realloc(p, i * 100);
	return 0;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin grown.c -o grown
like "$(memusage ./grown 2>&1)" 'heap total: 100000, ' 'a program that grows one block'
run memusage -q --fail-if='heap total > 100000' ./grown
is "$status" 0 'its heap total is the summary'"'"'s'
run memusage -q --fail-if='heap total > 99999' ./grown
is "$status" 100 '... and no less'
like "$err" '^memusage: heap total > 99999: 97\.7 KiB, 1 B over the limit$' '... as it says'
run memusage -q --fail-if='total at main > 50050000' ./grown
is "$status" 0 'at its place each block counts'
run memusage -q --fail-if='total at main > 50049999' ./grown
is "$status" 100 '... with its whole size'
run memusage -q --sample --fail-if='total > 50050000' ./grown
is "$status" 0 'with --sample it does so in the summary, too'
run memusage -q --sample --fail-if='total > 50049999' ./grown
is "$status" 100 '... which is exact'
run memusage -q --fail-if='heap total > 0' --ignore-fn=main ./grown
is "$status" 0 '... and with --ignore-fn only those that are shown'

# ---- the report ----------------------------------------------------------------------------------

judge 100 'heap peak > 200k' 'too much' 300 20
is "$(printf '%s\n' "$err" | sed -n 1p)" \
	'memusage: heap peak > 200k: 299 KiB, 98.8 KiB over the limit' 'the sentence comes first'
like "$err" '^ *293 KiB  read_line \(budget\.c:[0-9]+\)$|^ *299 KiB  read_line \(budget\.c:[0-9]+\)$' \
	'... then the place'
like "$err" 'called by parse \(budget\.c:[0-9]+\), main \(budget\.c:[0-9]+\)' '... with its stack'
run memusage --fail-if='heap peak > 1M' --fail-if='leaks > 5k' "$budget" 200 20
is "$status" 100 'one of two conditions is broken'
like "$err" '^memusage: leaks > 5k: 5\.86 KiB, 880 B over the limit$' 'it is named'
like "$err" '^memusage: heap peak > 1M: 201 KiB, 823 KiB below the limit$' 'the other holds'
like "$err" '^memusage: process [0-9]+ budget: heap total' 'the summary is a line'
run memusage --fail-if='heap peak at grwo > 1K' --fail-if='calls at parse > 1k' --fail-if='leaks at /^grw/ > 1' \
	--fail-if='total in libgrwo.so > 1K' --fail-if='total in libc.so.6 > 1K' "$budget" 10
is "$status" 0 'functions that are not there'
like "$err" '^memusage: heap peak at grwo > 1K: 0 B, 1\.00 KiB below the limit; no call stack has a function grwo$' \
	'... are named'
like "$err" '^memusage: calls at parse > 1k: 10, 990 below the limit$' '... but not one that is'
like "$err" '; no call stack has a function that fits /\^grw/$' '... also of a pattern'
like "$err" '; no program or library is named libgrwo\.so$' '... likewise an object'
like "$err" '^memusage: total in libc\.so\.6 > 1K: 0 B, 1\.00 KiB below the limit$' '... and not one that is'
run memusage --fail-if='calls at grwo > 1' sh -c "'$budget' 10; '$budget' 20; true"
like "$err" '^memusage: calls at grwo > 1: 0, 1 below the limit; no call stack has a function grwo \(process' \
	'... in no process'
run memusage --fail-if='calls at parse > 1k' sh -c "'$budget' 10; true"
unlike "$err" 'no call stack has' '... but in one of two'
run memusage -q -o report.txt --fail-if='heap peak > 1k' "$budget" 10
is "$status" 100 'with a file for the report'
is "$err" '' '... standard error is empty'
like "$(cat report.txt)" '^memusage: heap peak > 1k: 9\.77 KiB, 8\.77 KiB over the limit$' \
	'... and the file has the answer'
run memusage -q --sample=1K --fail-if='heap peak > 500k' "$budget" 2000
is "$status" 100 'an estimate that is far above the limit'
like "$err" 'over the limit \(an estimate: [0-9.]+ [KM]iB to [0-9.]+ [KM]iB\)$' '... is named an estimate'
run memusage -q --sample=64K --fail-if='heap peak > 1999000' "$budget" 2000
is "$status" 0 'an estimate whose bounds include the limit breaks nothing'

# ---- growth --------------------------------------------------------------------------------------

run memusage -q --baseline=old.mur --fail-if='heap peak > +5%' "$budget" 200 20
is "$status" 0 'nothing grew'
run memusage -q --baseline=old.mur --fail-if='heap peak > +5%' "$budget" 210 20
is "$status" 0 'less than 5 %'
run memusage -q --baseline=old.mur --fail-if='heap peak > +5%' "$budget" 250 20
is "$status" 100 'more than 5 %'
is "$(printf '%s\n' "$err" | sed -n 1p)" \
	'memusage: heap peak > +5%: grew by 48.8 KiB (+24.3%), from 201 KiB to 250 KiB' \
	'the sentence says what grew'
like "$err" '^ *\+48\.8 KiB +201 KiB +250 KiB  read_line' 'the place has both figures'
run memusage -q --baseline=old.mur --fail-if='total at parse > +49K' --fail-if='leaks > +0' \
	"$budget" 250 20
is "$status" 125 'a baseline without a leak check'
like "$err" '^memusage: leaks > \+0: cannot be judged: .*no leak check' '... is named'
run memusage -q --baseline=old.mur --fail-if='calls at parse > +49' "$budget" 250 20
is "$status" 100 'calls have grown'
like "$err" 'grew by 50 \(\+25\.0%\), from 200 to 250$' '... by so many'
run memusage -q --baseline=old.mur --fail-if='stack peak > +1' "$budget" 250 20
is "$status" 0 'a figure that varies'

# ---- a recording that exists, and several runs -----------------------------------------------------

memusage -q --record=new.mur "$budget" 250 20 >/dev/null
run memusageprint --fail-if='heap peak > +5%' --baseline=old.mur new.mur
is "$status" 100 'memusageprint judges a recording'
like "$out" '^heap peak > \+5%: grew by 48\.8 KiB' '... by the same sentence'
run memusageprint --fail-if='heap peak > +5%' --baseline=old.mur old.mur
is "$status" 0 '... which may hold'
like "$out" '^heap peak > \+5%: 201 KiB, as before$' '... as it says'
run memusageprint --fail-if='heap peak > 210k' old.mur new.mur new.mur
is "$status" 0 'not every run breaks it'
like "$out" 'the limit is passed in 2 of 3 runs \(201 KiB to 250 KiB\)$' '... as it says'
run memusageprint --fail-if='heap peak > 200k' old.mur new.mur new.mur
is "$status" 100 'every run breaks it'
like "$out" ', in each of 3 runs \(201 KiB to 250 KiB\)$' '... as it says'
run memusage -q --record=small.mur "$budget" 10
run memusage -q --record=large.mur "$budget" 5000
run memusageprint --baseline=small.mur --fail-if='rss peak > +0' large.mur
is "$status" 0 'growth of a figure that varies, of one run, breaks nothing'
like "$out" 'but it depends on the machine, and one run does not tell how much: --runs=3 does' \
	'... and it says why'
run memusageprint --baseline=small.mur --fail-if='rss peak > +0' large.mur large.mur large.mur
is "$status" 100 '... but that of three does'
run memusageprint --fail-if='leaks > 0' old.mur
is "$status" 1 'a recording without a leak check'
like "$out" 'cannot be judged: the run had no leak check: memusage --leak-check=full makes it$' \
	'... is named'
memusage -q --sample --record=sampled.mur "$budget" 10 >/dev/null
run memusageprint --fail-if='stack peak > 1M' --fail-if='rss peak > 1G' sampled.mur
is "$status" 1 'a stack of a sampled recording'
like "$out" '^stack peak > 1M: cannot be judged: the run was recorded with --sample' '... is not judged'
run memusage -q --sample --runs=2 --fail-if='heap peak > 1G' "$budget" 10
is "$status" 0 'runs with samples'
unlike "$err" 'stack peak' '... have no figure of the stack'
run memusageprint --fail-if='heap peak > 1' "$MU_SRC/tests/e2e/gate.t"
is "$status" 1 'a file that is none'
like "$err" 'is a file of an unknown kind|this is' '... is named'

# ---- several processes -----------------------------------------------------------------------------

run memusage -q --fail-if='heap peak > 250k' sh -c "'$budget' 100; '$budget' 300; '$budget' 10; true"
is "$status" 100 'the largest process counts'
like "$err" "^memusage: heap peak > 250k: 293 KiB, .*\(process [0-9]+, .*budget 300\)$" \
	'... and is named'

# ---- statuses --------------------------------------------------------------------------------------

run memusage -q --fail-if='heap peak > 1' "$budget" 10 0 3
is "$status" 3 'the failure of the program counts more'
like "$err" '^memusage: heap peak > 1: ' '... the budget is judged all the same'
run sh -c "memusage -q --fail-if='heap peak > 1' sh -c 'kill -9 \$\$' 2>/dev/null"
is "$status" 137 'so does a signal'
run memusage -q --fail-if='heap peak > 1' --leak-check=full --error-exitcode=7 "$budget" 10 1
is "$status" 7 'and --error-exitcode, as with Valgrind'
printf '/* no program */\nint main(void) { return 0; }\n' >static.c
if compiled gcc -static -o static static.c; then
	run memusage -q --fail-if='heap peak > 1' ./static
	is "$status" 125 'what was not recorded is not judged'
	like "$err" '^memusage: .*static' '... and the reason is named'
fi

# ---- mistakes are found before the program runs ----------------------------------------------------

# refused TEXT PATTERN OPTION...
refused() {
	text=$1 pattern=$2
	shift 2
	run memusage "$@" sh -c 'echo ran'
	is "$status" 125 "$text is refused"
	like "$err" "$pattern" '... with the reason'
	is "$out" '' '... before the program runs'
}
refused 'a wrong condition' \
	"--fail-if: 'heap paek > 64M' is wrong at column 6: 'paek' is no moment of heap" \
	--fail-if='heap paek > 64M'
printf '# limits\nheap peak > 64M\nleaks < 0\n' >wrong.txt
refused 'a wrong line' "--budget: 'wrong.txt' is wrong at line 3, column 7: " --budget=wrong.txt
refused 'a missing file' "--budget: 'none.txt' cannot be read: No such file" --budget=none.txt
refused 'growth without a baseline' "'heap peak > \+5%' is about growth" --fail-if='heap peak > +5%'
refused 'a baseline without growth' '--baseline is for conditions like' --baseline=old.mur
refused 'a baseline that is none' '--baseline=wrong.txt: ' --baseline=wrong.txt \
	--fail-if='total > +1'
refused 'a leak check of samples' "'leaks > 0' cannot be judged together with --sample" \
	--sample --fail-if='leaks > 0'
refused 'a stack of samples' "'stack peak > 1M' cannot be judged together with --sample, since the stack" \
	--sample --fail-if='heap peak > 1G' --fail-if='stack peak > 1M'
refused 'the heap in copy mode' "'total > 1' is about the heap" --mode=copy --fail-if='total > 1'
run memusageprint --top --fail-if='heap peak > 1' old.mur
is "$status" 2 'memusageprint prints one of both'
run memusageprint --fail-if='heap peak >' old.mur
is "$status" 2 'and refuses a wrong condition'
like "$err" "is wrong at column 12: a limit is missing" '... with the column'

# ---- a budget in a file ----------------------------------------------------------------------------

printf '# of the parser\nheap peak > 150k   # bytes\n\ncalls at parse > 1k\n' >budget.txt
run memusage -q --budget=budget.txt "$budget" 100
is "$status" 0 'a budget that holds'
run memusage -q --budget=budget.txt "$budget" 200
is "$status" 100 'a budget that is broken'
like "$err" '^memusage: heap peak > 150k: 195 KiB, 45\.3 KiB over the limit$' '... by its first line'

# ---- a process that goes on ------------------------------------------------------------------------

cat >daemon.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
	int ready[2];
	char one = 1;

	if (pipe(ready) < 0)
		return 1;
	if (fork() == 0) {
		for (int i = 0; i < 100; i++)
			memset(malloc(100000), 1, 100000);
		if (write(ready[1], &one, 1) != 1)
			_exit(1);
		sleep(2);
		_exit(0);
	}
	return read(ready[0], &one, 1) != 1;
}
END
compile "${CC:-cc}" -O1 -fno-builtin daemon.c -o daemon
run memusage -o report --fail-if='heap peak > 1M' ./daemon
is "$status" 100 'a process that goes on breaks a limit'
like "$(cat report)" 'heap peak > 1M: 9\.5[0-9] MiB, 8\.5[0-9] MiB over the limit' \
	'... by what it holds'
like "$(cat report)" '1 process goes on: it is judged as now' '... and the report says so'
run memusage -o report --fail-if='heap peak > 20M' ./daemon
is "$status" 0 '... and holds a wider one'
run memusage -q --record=daemon.mur --fail-if='heap end > 1M' ./daemon
is "$status" 100 '... also of its end, with a recording that is kept'
until_true sh -c 'memusageprint --processes daemon.mur 2>/dev/null | grep -q "_exit, status 0"'
is "$(memusageprint --processes daemon.mur | grep -c '/daemon$')" 2 '... which has each process once'
done_testing
