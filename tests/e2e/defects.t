#!/bin/sh
# defects.t -- the 37 defects that were proved in glibc's memusage are gone, one by one, or stand
# in docs/compat.md with the reason why not.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC3045  # ulimit
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin family forks threads ends sigprof limits maps signals
ulimit -c 0

# The records of a data file: heap stack time, one per line, the two headers first.
records() { od -An -v -tu8 -w24 "$1"; }
count_of() { records "$1" | wc -l; }
# documented NUMBER: what cannot be tested has its line
documented() {
	like "$(cat "$MU_SRC/docs/compat.md")" "(^|[| ,(])(D$1[ ,:|-]|D[0-9]+-D$1 )" \
		"D$1 stands in docs/compat.md"
}
# same_run TEXT OPTIONS -- COMMAND...: profiled() in one check
same_run() {
	same_text=$1
	shift
	(profiled x "$@") >profiled.out
	ok "$same_text" sh -c '! grep "^not ok" -A 20 profiled.out'
}

same_run 'D1 an overflowing calloc fails' family failing
is "$(report_field calloc failed)" 3 'D1 and is counted as failed'
same_run 'D2 an overflowing malloc fails' family failing
is "$(report_field malloc failed)" 3 'D2 and is counted as failed'
same_run 'D3 usable sizes can be used' family usable

bad=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	memusage -q threads race 4 >out 2>&1 || bad=$((bad + 1))
done
is "$bad" 0 'D4 threads free blocks during exit'

same_run 'D5 60 threads, unbuffered' -u -d d5.dat -- threads crowd 60
num "$(count_of d5.dat)" -gt 122 'D5 and all of it is in the file'

# A sample of the timer is a record, too: no timer where each is counted.
same_run 'D6 a small buffer' --no-timer -b 4 -d d6.dat -- family plain
# Every call changed the heap but malloc(0), free(NULL) and what came of it.
is "$(records d6.dat | awk 'NR > 2 { print $1 }' | tr '\n' ' ')" \
	'100 300 600 1500 1000 1000 700 200 0 0 0 ' 'D6 has each record once'

same_run 'D7 eight threads' -u -d d7.dat -- threads cross 4
is "$(records d7.dat | awk 'NR > 2 && $3 < last { bad++ } NR > 2 && !$3 { bad++ }
	NR > 2 { last = $3; heap = $1 } END { print bad + 0, heap < 3000 }')" '0 1' \
	'D7 times never go back, no record is missing'
events=$(($(report_field malloc calls) + $(report_field calloc calls)))
num "$(count_of d7.dat)" -ge $((events * 2 - 10)) 'D7 as many records as calls'

same_run 'D8 a forked child' --no-timer -u -d d8.dat -- forks fork 2
is "$(records d8.dat | awk 'NR > 2 { n++; if ($1 != n * 100) bad++ } END { print n, bad + 0 }')" \
	'50 0' "D8 has none of its records in its parent's file"

cat >burn.c <<'END'
#include <stdlib.h>
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 20)
		free(malloc(10));
	return 7;
}
END
if ! has_library libc.a; then
	skip 'no static C library' 3
elif compiled "${CC:-cc}" -fno-builtin -static -o burn burn.c; then
	run memusage -o report -d d9.dat sh -c 'exec ./burn'
	is "$status" 7 'D9 exec of a static program'
	run memusage -o report ./burn
	like "$(cat report)" 'static' 'D25 a static program: said why nothing is recorded'
	is "$status" 7 'D25 and run'
fi
run memusage -n sh -o report -d d9.dat sh -c 'exec sigprof sleeps'
is "$status" 0 'D9 exec of a program that is not to be recorded'

same_run 'D10 a program that takes SIGPROF' -d d10.dat -- sigprof signal
same_run 'D10 a program that asks for it' -d d10.dat -- sigprof query

run memusage -o report -d d11.dat sh -c '/bin/true; family plain; heap manpage; exit 3'
is "$(records d11.dat | awk 'NR == 2 { print $1 }')" "$(report_field heap peak)" \
	'D11 the data file is that of the program itself'

same_run 'D12 all descriptors closed' -u -d d12.dat -- limits close 2
same_run 'D13 no descriptor of ours' -d d13.dat -- limits descriptors

run memusage ls /
like "$err" '^ malloc\| +[1-9]' 'D14 a summary of ls'
for how in _exit quick_exit abort kill-9; do
	run memusage ends $how
	like "$err" '^realloc\| +1000 ' "D14 a summary after $how"
	run memusage -q -d d15.dat ends $how
	num "$(count_of d15.dat)" -ge 1052 "D15 all records after $how"
	is "$(records d15.dat | awk 'NR == 2 { print $1 }')" 100000 "D15 and the headers"
done

same_run 'D16 failed mappings' -m -- maps failing
same_run 'D17 the heap never becomes negative' -m -- maps negative
same_run 'D18 the memalign family' family aligned
same_run 'D19 the stack is the right way up' signals altstack
same_run 'D20 stacks of coroutines' -d d20.dat -- signals coroutines
run memusage -v -o report sigprof deep
num "$(sed -n 's/.*seen, \([0-9]*\) touched.*/\1/p' report | head -n 1)" -ge 1000000 \
	'D21 a stack without calls'
rm -f d22.dat
same_run 'D22 errno is 0 when main begins' -d d22.dat -- family errno
run memusage -d /nowhere/at/all touch ran
is "$status" 125 'D24 an unwritable data file'
nok 'D24 the program was not run' test -e ran

mkdir -p copy/bin copy/lib/memusage
cp "$MU_BUILD/bin/memusage" copy/bin
run copy/bin/memusage touch ran
is "$status" 125 'D26 a missing recorder'
like "$err" '^memusage: .*libmemusage.so' 'D26 is named'
nok 'D26 the program was not run' test -e ran

run memusage -q -d 'my file' family plain
num "$(count_of 'my file')" -gt 5 'D27 a blank in a name'
run memusage -q -d 'x;echo INJECTED;true' family plain
unlike "$out$err" INJECTED 'D27 a shell command in a name'
ok 'D27 is a name' test -s 'x;echo INJECTED;true'
run memusage -q --data=a=b family plain
ok 'D27 an equals sign in a value' test -s a=b
if command -v memusagestat >/dev/null; then
	run memusage -q -p 'my picture.png' --title 'two words' family plain
	ok 'D27 a title of two words' test -s 'my picture.png'
else
	skip 'no memusagestat'
fi

run env LD_PRELOAD="$WORKLOADS/libearly.so" memusage -o report true
is "$(report_field 6992-7007 count)" 1 "D28 the user's LD_PRELOAD is kept"
run memusage -o report echo -n hello
is "$out" hello 'D29 echo is a program'
recorded 'D29 echo'
run memusage -q exit
is "$status" 127 'D29 exit is none'

if command -v memusagestat >/dev/null; then
	# Two headers and three records of one moment; the same with half a record.
	{
		head -c 24 d8.dat
		for _ in 1 2 3 4; do head -c 48 d8.dat | tail -c 24; done
	} >eqt.dat
	run memusagestat eqt.dat eqt.png
	is "$status" 0 'D30 equal times'
	for size in -5 4000000000 0x; do
		run memusagestat -x $size d8.dat big.png
		is "$status" 2 "D30 a width of $size"
	done
	head -c 1000 d8.dat >part.dat
	cp part.dat before.dat
	chmod 444 part.dat
	run memusagestat part.dat part.png
	is "$status" 0 'D31 a partial last record'
	same part.dat before.dat 'D31 the input is not changed'
	head -c 240 /dev/urandom >garbage.dat
	run memusagestat garbage.dat garbage.png
	isnt "$status" 0 'D31 garbage is refused'
	# A system call for each of the 100,000 records shows in what the kernel counts for a child.
	{ head -c 48 d8.dat && head -c 2400000 /dev/zero; } >d32.dat
	# shellcheck disable=SC2016  # for the inner shell
	calls=$(sh -c 'memusagestat d32.dat >/dev/null 2>&1
		sed -n "s/^syscr: //p" /proc/$$/io 2>/dev/null')
	if [ -n "$calls" ]; then
		num "$calls" -lt 1000 'D32 many records are read at once'
	else
		skip 'no counts of system calls here'
	fi
	run memusagestat -y 0 d8.dat d33.png
	is "$status" 2 'D33 a height of 0 is refused'
else
	skip 'no memusagestat' 9
fi

is "$(od -An -tx8 -N8 d8.dat | tr -d ' ')" 00003156736e554d 'D34 the file says nanoseconds'
first=$(records d8.dat | awk 'NR == 3 { print $3 }')
last=$(records d8.dat | awk 'END { print $3 }')
ok 'D34 and they are' test "$first" -lt "$last" -a $((last - first)) -lt 60000000000
run memusage ls /
unlike "$err" "$(printf '\033')" 'D35 no colours where no terminal is'
for number in $(seq 37); do
	documented "$number"
done
done_testing
