#!/bin/sh
# processes.t -- reports name the process that held most, list all, and say how each one ended.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

program="$MU_BUILD/tests/workloads/processes"

# pid_of ARGUMENT: the process that printed it
pid_of() { sed -n "s/^\([0-9]*\) [0-9]* $1\$/\1/p" printed; }
# of_page FILE PID: what the page's data say of the process
of_page() { tr '{' '\n' <"$1" | grep "^\"pid\":$2,"; }

# wait_for_images FILE NUMBER: until the recording has so many (mu_segment.slot_count)
wait_for_images() {
	turns=0
	until images=$(od -An -tu4 -j20 -N4 "$1" 2>/dev/null | tr -d ' ') &&
			[ "${images:-0}" -ge "$2" ] || [ $turns = 600 ]; do
		sleep 0.1
		turns=$((turns + 1))
	done
}

# ---- the ends

all='2e3 3u4 4U5 5g6 6m7 7a0 8k9 9k11 10x0 11e0 4000m0 13k15 0q9'
# shellcheck disable=SC2086
run memusage -o report --record=kept.mur "$program" $all
is "$status" 5 'the program ends as alone'
printf '%s\n' "$out" >printed
recorded 'a tree of processes'
is "$(wc -l <printed)" 13 '... with thirteen children'
run memusageprint --processes kept.mur
printf '%s\n' "$out" >table
num "$(grep -c '^ *[0-9]* *[0-9]* ' table)" -ge 14 '--processes: a row for each'
root=$(awk '$1 + 0 > 0 { print $1; exit }' table)
while read -r argument text; do
	like "$(grep "^ *$(pid_of "$argument") *$root " table)" "  $text  " "$argument: $text"
done <<'END'
2e3 exit status 3
3u4 _exit, status 4
4U5 _exit, status 5
0q9 exit status 9 without exit handlers
11e0 exit status 0
6m7 exit status 7
4000m0 exit status 0
5g6 exit status 6 without exit handlers
7a0 killed by SIGABRT
8k9 killed by SIGKILL
9k11 killed by SIGSEGV
13k15 killed by SIGTERM
END
like "$(grep "^ *$(pid_of 10x0) *$root .* true" table)" '  exit status 0  ' 'what it executed'
like "$(grep "^ *$root " table)" '  exit status 5  ' 'the program itself'

# ---- children that are reaped before the collector can ask the kernel

cat >reaper <<'END'
until [ -s collector ]; do sleep 0.1; done
read -r collector <collector
kill -STOP "$collector"
for number in 1 2 3; do
	(read -r own rest </proc/self/stat; echo "$own" >>killed; kill -9 "$own"; echo "$rest" >&2)
done
kill -CONT "$collector"
END
memusage -o /dev/null --record=reaped.mur sh reaper 2>/dev/null &
launcher=$!
until_prints pids memusage-collec "$launcher" >collector.new
mv collector.new collector
wait "$launcher"
run memusageprint --processes reaped.mur
is "$(wc -l <killed)" 3 'three children are killed while the collector is stopped'
while read -r one; do
	like "$(printf '%s\n' "$out" | grep "^ *$one ")" '  killed by SIGKILL  ' '... the parent knows how'
done <killed

if python3 -c 'import os' 2>/dev/null; then
	cat >waits.py <<'END'
import os
def child(status): return os.fork() or os._exit(status)
def attempt(call):
    try: return call()
    except OSError as e: return e.errno
one = child(3)
print(os.waitpid(one, 0)[1], attempt(lambda: os.waitpid(one, 0)))
child(4)
print(os.wait3(0)[1:2])
one = child(5)
print(os.wait4(one, 0)[1:2], os.wait4(child(6), 0)[2].ru_nswap)
one = child(7)
r = os.waitid(os.P_PID, one, os.WEXITED | os.WNOWAIT)
print(r.si_status, r.si_code, os.waitid(os.P_PID, one, os.WEXITED).si_pid == one)
r, w = os.pipe()
one = os.fork()
if not one: os.read(r, 1); os._exit(0)
print(os.waitid(os.P_PID, one, os.WEXITED | os.WNOHANG), os.waitpid(one, os.WNOHANG))
os.kill(one, 19)
print(os.waitpid(one, os.WUNTRACED)[1])
os.kill(one, 9)
print(os.waitpid(-1, 0)[1], attempt(lambda: os.wait3(0)), attempt(lambda: os.waitid(os.P_ALL, 0, 4)))
END
	run memusage -o /dev/null python3 waits.py
	is "$out" "$(python3 waits.py)" 'the program gets the same answers as alone'
else
	skip 'no python3 here'
fi

# ---- which process a report is about

large=$(pid_of 4000m0)
run memusageprint --top=1 --leaks=1 kept.mur
like "$out" "^3.91 MiB of 3.98 MiB were held by process $large processes \(exit(ed,)? status .*\)\$" \
	'--top: the process that held most'
like "$out" "^3.91 MiB of 3.98 MiB were not freed by process $large " '--leaks: the one that leaked'
like "$out" '^13 others: at most 13.0 KiB each \(process [0-9]+ processes\); --processes lists all' \
	'... and how the others stand'
like "$out" 'allocate \(processes.c:[0-9]+\) allocated 100.0% of the 3.91 MiB' '... its places'
run memusageprint --top=1 "--pid=$(pid_of 2e3)" kept.mur
like "$out" '66.7% of the 3.00 KiB' '--pid chooses another'
like "$out" "^process $(pid_of 2e3): exit status 3$" '... and says how it ended'
run memusageprint --summary "--pid=$(pid_of 4U5)" kept.mur
is "$(printf '%s\n' "$out" | grep '^memusage: process ')" "memusage: process $(pid_of 4U5): _exit, status 5" \
	'--summary says it, too'
unlike "$out" 'were held by' '... without a word about the others'
run memusageprint --pid=1 kept.mur
like "$err" "holds no process 1, but $root \(processes\), .* and 2 more" '--pid of none: names those there are'
run memusageprint --to=json kept.mur
like "$out" "\"pid\":$root," 'an export is of the program'
like "$err" "about process $root processes; process $large processes held most, 3.91 MiB: --pid=$large chooses" \
	'... and names one that held much more'
if python3 -c 'import json' 2>/dev/null; then
	memusageprint --to=json "--pid=$(pid_of 3u4)" kept.mur >json
	is "$(python3 -c 'if True:
		import json
		d = json.load(open("json"))
		print(d["exit"], d["status"], d["duration_ns"] > 0, d["calls"]["malloc"]["calls"])
		print(d["heap_total"], d["peak_time_ns"] is None, d["histogram"])
		print(*sorted(str(p["own_peak"] // 1024) + p["exit"] for p in d["processes"]
			if p["own_peak"] // 1024 in (1, 2, 3, 4)))')" \
		'_exit 4 True 2
4096 False [[1024, 1039, 1], [3072, 3087, 1]]
1exit 2exit 3_exit 4_exit' '--to=json: how it ended, figures, all processes'
else
	skip 'no python3 here'
fi
run memusagestat --html=page.html kept.mur
like "$(of_page page.html "$large")" '"exit":"exit",("status":0,)?"ended.*"shown":true' 'the page is about the largest'
like "$(of_page page.html "$(pid_of 4U5)")" '"exit":"_exit","status":5,.*"shown":false' '... and has the others'
run memusagestat --html=page.html --pid=1 kept.mur
like "$err" "holds no process 1, but $root" 'memusagestat --pid of none'

# ---- lines and answers of memusage

is "$(sed -n 's/^memusage: process \([0-9]*\) .*heap peak.*/\1/p' report | sed 1q)" "$large" \
	'--children=lines: the highest peak first'
peaks=$(sed -n 's/^memusage: process .*heap peak: \([0-9]*\),.*/\1/p' report)
is "$peaks" "$(printf '%s\n' "$peaks" | sort -rn)" '... then the others'
like "$(cat report)" '^memusage: [34] more processes: heap total: [0-9]+, highest heap peak: (3072|4096),' \
	'... the small ones are one line'
like "$(grep "^memusage: process $(pid_of 11e0) " report)" ', calls: 1, exit status 0$' '... with their ends'
# shellcheck disable=SC2086
run memusage --top=1 -o report "$program" $all
printf '%s\n' "$out" >printed
like "$(cat report)" "^3.91 MiB of 3.98 MiB were held by process $(pid_of 4000m0) processes" 'the answer names it'
is "$(grep -c '^memusage: process ' report) $(grep -c '^memusage: [0-9]* more processes: ' report)" '6 1' \
	'... with the program, the five largest, and a line for the others'
like "$(cat report)" '--record=FILE keeps all for memusageprint --processes$' '... and how to see the others'
run memusage -o report --top=1 "$program"
like "$(cat report)" ', calls: 1, exit status 5$' 'a lone process'
unlike "$(cat report)" 'were held by' '... has no share'

run memusage -o report sh -c 'kill -SEGV $$'
like "$(cat report)" '^memusage: the program was killed by SIGSEGV$' 'the summary names the signal'
run memusage -o report sh -c 'exit 3'
unlike "$(cat report)" 'the program was' '... and nothing of another end'

# A child that frees at once makes the most calls, another one grows, and the program does neither.
cat >busy.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile kept;
__attribute__((noinline)) static void churn(int i)
{
	free(memset(malloc(i + 1), 1, 1));
}
__attribute__((noinline)) static void grow(void)
{
	kept = memset(malloc(1000), 1, 1);
}
int main(void)
{
	if (!fork()) {
		for (int i = 0; i < 5000; i++)
			churn(i % 100);
		_exit(0);
	}
	if (!fork()) {
		for (int i = 0; i < 1000; i++)
			grow();
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin busy.c -o busy
memusage -q -o temporary --record=busy.mur --temporary ./busy
like "$(cat temporary)" '^10,000 of 11,000 calls were made by process' '--temporary: the process with most calls'
like "$(cat temporary)" 'churn .*100.0% of the 5,000 blocks that were temporary' '... its places'
memusageprint --growth=start..end busy.mur >growth
like "$(cat growth)" 'were held by process' '--growth: the process that held most'
like "$(cat growth)" '^grow .*100.0%' '... its places'

# ---- programs before an exec

# chain KIB [CALLS] -- PROGRAM...: holds KIB, calls malloc and free CALLS times, and executes PROGRAM.
cat >chain.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *volatile kept;
__attribute__((noinline)) static void hold(size_t size)
{
	kept = memset(malloc(size), 1, size);
}
__attribute__((noinline)) static void churn(size_t size)
{
	free(memset(malloc(size), 1, 1));
}
int main(int argc, char **argv)
{
	hold((size_t)atoi(argv[1]) * 1024);
	for (int i = atoi(argv[2]); i > 0; i--)
		churn((size_t)i);
	execvp(argv[3], &argv[3]);
	return 1;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin chain.c -o chain
run memusage -o report --record=chain.mur --top=1 ./chain 5000 0 true
is "$status" 0 'a program that executes another one'
large=$(memusageprint --processes chain.mur | awk '/chain/ { print $1; exit }')
like "$(cat report)" "^4.88 MiB of 4.88 MiB were held by process $large chain before it executed true\$" \
	'--top: the program before an exec, if it held clearly more'
like "$(cat report)" "^its last program: 0 B \(true\); --pid=$large reports on that\$" '... and what the last one held'
like "$(cat report)" '^hold \(chain.c:[0-9]+\) allocated 100.0% of the 4.88 MiB' '... its places'
for report in tree growth leaks; do
	run memusageprint "--$report" chain.mur
	like "$out" "^4.88 MiB of 4.88 MiB were (held|not freed) by process $large chain before it executed true\$" \
		"--$report: likewise"
	like "$out" "^its last program: 0 B \(true\); --pid=$large reports on that\$" '... with what to do'
done
run memusageprint --diff chain.mur chain.mur
like "$out" "^old  chain.mur: process $large, ./chain 5000 0 true\$" '--diff: likewise'
run memusageprint "--pid=$large" --top chain.mur
like "$out" "^process $large chain before it executed true held 4.88 MiB: --top without --pid reports on that\$" \
	'--pid: the last program, with a line about the one before'
like "$out" '^nothing was live when the heap was largest$' '... which is not reported'
run memusageprint --summary chain.mur
like "$out" 'heap total: 0,' '--summary: the last program'
run memusagestat --html=page.html chain.mur
like "$(of_page page.html "$large" | grep '"name":"chain"')" '"last":false,.*"shown":true' 'the page: likewise'
like "$(cat page.html)" '"own_peaks":5120000,' '... with the sum of both'
run memusageprint --top=1 "$(memusage -o report --record=two.mur sh -c './chain 5000 0 true; ./chain 2000 0 true; :'
	echo two.mur)"
like "$out" '^4.88 MiB of 6.8[0-9] MiB were held by process [0-9]+ chain before it executed true$' \
	'all programs of all processes are summed up'
like "$out" '^2 others: at most 1.95 MiB each \(process [0-9]+ chain before it executed true\); ' \
	'... and none is left out of the others'
small=$(memusageprint --processes two.mur | awk '/chain 2000 0 true$/ { print $1; exit }')
run memusageprint "--pid=$small" --top two.mur
like "$out" "^process $small chain before it executed true held 1.95 MiB: --processes lists what each of its" \
	'--pid of another one'
run memusage --top=1 ./chain 5000 0 true
like "$err" '^its last program: 0 B \(true\); --record=FILE keeps it for memusageprint --pid=PID$' \
	'a run that is not kept: how to keep it'
run memusage --top=1 ./chain 1000 0 true
unlike "$err" 'were held by' 'a small program before an exec is not reported, like the shell that starts another'
run memusage --top=1 ./chain 3000 0 ./chain 2000 0 "$program"
unlike "$err" 'before it executed .*processes$' 'of several, the one that held most'
like "$err" '^2.93 MiB of 4.88 MiB were held by process [0-9]+ chain before it executed chain$' '... is named'
run memusage --top=1 sh -c './chain 3000 0 true; exec "$0" 4000m0' "$program"
like "$err" '^3.91 MiB of 6.8[0-9] MiB were held by process [0-9]+ processes \(' \
	'one that is not clearly larger: the last program that held most'
like "$err" ' at most 2.93 MiB each \(process [0-9]+ chain before it executed true\)' '... and the other is told'

run memusage --temporary ./chain 1 8000 true
like "$err" '^16,00[0-9] of 16,00[0-9] calls were made by process [0-9]+ chain before it executed true$' \
	'--temporary: the program with most calls'
like "$err" '^its last program: [0-9]+ calls \(true\); ' '... and those of the last one'
like "$err" '^memusage: process [0-9]+ chain \(before exec\): .*, calls: 16001$' '... as its line has it'
run memusage -o report sh -c 'for i in 1 2 3 4 5 6 7 8; do ./chain 2000 0 true; done; :'
like "$(cat report)" '^memusage: [67] more processes: heap total: ' 'lines that are left out are counted as processes'
run memusage --top=1 sh -c 'for i in 1 2 3 4 5 6 7; do ./chain 2000 0 true; done; :'
like "$err" '^memusage: 7 more processes and 2 more programs before exec: heap total: 4096[0-9]{3}, ' \
	'... and programs before an exec apart'

run memusage -q -d data ./chain 5000 0 true
like "$err" "^memusage: process ([0-9]+) chain held most, 4.88 MiB at its peak, before it executed another program; \
data is about process [0-9]+ true, which held 0 B: --record keeps all programs\$" '-q: the note names both programs'
run memusage -q -d data ./chain 1000 0 true
is "$err" '' '... but none for a small one'

run memusage --children=merge --top=2 ./chain 5000 0 true
like "$err" '^ +4.88 MiB 100.0% +1  hold ' '--children=merge: a place of a program before an exec'
unlike "$err" 'least 0 B' '... is not compared with no process'

# ---- -q

run memusage -q -d data "$program" 100e0
printf '%s\n' "$out" >printed
like "$err" "^memusage: process $(pid_of 100e0) held most, 100 KiB at its peak; data is about process" \
	'-q: a larger process is not silenced'
num "$(wc -c <data)" -ge 72 '... was recorded'
run memusage -q -d data "$program" 0e0
is "$err" '' '... a smaller one is'
run memusage -q "$program" 100e0
is "$err" '' '... nor is one named if nothing is reported'

# ---- zombies

# Nothing reaps these until the kernel was asked.
mkfifo hold
exec 3<>hold
memusage -o report --record=zombies.mur "$program" - 5g6 6m7 7a0 8k9 9k11 13k15 <hold >printed 3>&- &
wait_for_images zombies.mur 6
exec 3>&-
wait
recorded 'children that nothing reaps'
memusageprint --processes zombies.mur >table
while read -r argument text; do
	like "$(grep "^ *$(pid_of "$argument") " table)" "  $text  " "unreaped $argument: $text"
done <<'END'
5g6 exit status 6 without exit handlers
6m7 exit status 7
7a0 killed by SIGABRT
8k9 killed by SIGKILL
9k11 killed by SIGSEGV
13k15 killed by SIGTERM
END

# ---- orphans and those that still run

exec 3<>hold
memusage -o report --record=rest.mur "$program" 20o7 30r0 <hold >printed 3>&-
recorded 'an orphan and a child that runs'
like "$(grep "^memusage: process $(pid_of 30r0) " report)" ' \(still running\): ' 'a child that still runs'
exec 3>&-
wait_for_images rest.mur 3
run memusageprint --processes rest.mur
like "$out" '_exit, status 7 ' 'the orphan, later'
like "$out" 'exit status 0 |exited, status not known ' '... and the other'
done_testing
