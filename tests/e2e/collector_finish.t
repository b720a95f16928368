#!/bin/sh
# collector_finish.t -- recordings that were left behind or kept: --finish and --record.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
mkdir arena
MEMUSAGE_DIR=$PWD/arena
export MEMUSAGE_DIR
ulimit -c 0

# ---- the library alone
run memusage -o report --no-timer ls /
want=$(report_field heap total)
run env LD_PRELOAD="$LIB" ls /
cp .err report
recorded 'LD_PRELOAD alone'
is "$(report_field heap total)" "$want" 'the same figures'
is "$(ls arena)" '' 'the arena is removed'
run sh -c 'ulimit -n 100; LD_PRELOAD=$LIB exec ls /'
cp .err report
recorded 'with few descriptors, of a program that closes standard error'
run env LD_PRELOAD="$LIB" MEMUSAGE_OUTPUT=data.dat MEMUSAGE_NO_TIMER= ls /
is "$status" 0 'with MEMUSAGE_OUTPUT'
num "$(wc -c <data.dat)" -gt 1000 'there is a data file'
is "$(od -An -tx8 -N8 data.dat | tr -d ' ')" 00003156736e554d 'in nanoseconds'
is "$(od -An -tu8 -j24 -N8 data.dat | tr -d ' ')" "$(report_field heap peak)" 'with the peak'
run env LD_PRELOAD="$LIB" MEMUSAGE_TRACE_MMAP=1 ls /
like "$err" '^mmap\(a\)\|' 'with MEMUSAGE_TRACE_MMAP'
run env LD_PRELOAD="$LIB" MEMUSAGE_PROG_NAME=other ls /
is "$err" '' 'with another MEMUSAGE_PROG_NAME'

# ---- by hand, after a crash
run env LD_PRELOAD="$LIB" MEMUSAGE_OUTPUT=lost.dat sh -c 'kill -9 $$'
is "$(ls arena | wc -l)" 1 'a killed program leaves its arena'
nok 'and no data file' test -e lost.dat
run memusage --finish arena/*
is "$status" 0 '--finish that is not told where the data go'
like "$err" '^memusage: arena/.*\.mur is kept: .*--data=FILE' 'says what to do'
is "$(ls arena | wc -l)" 1 'and keeps them'
run env MEMUSAGE_OUTPUT=lost.dat memusage --finish arena/*
is "$status" 0 '--finish'
cp .err report
recorded 'it reports it'
num "$(wc -c <lost.dat)" -gt 240 'and writes the data'
is "$(ls arena)" '' 'and removes the arena'
for number in 1 2 3; do
	LD_PRELOAD=$LIB MEMUSAGE_OUTPUT=many.dat sh -c "echo \$\$ >pid.$number; kill -9 \$\$" 2>kill.err
done
run memusage --finish -d many.dat arena/*
is "$status" 0 '--finish of several'
for number in 1 2 3; do
	pid=$(cat pid.$number)
	like "$err" "^memusage: process $pid sh, .*:$" "whose summary is whose: $number"
	num "$(wc -c <"many.dat.$pid")" -gt 240 '... and a data file each'
done
is "$(printf '%s\n' "$err" | grep -c 'Memory usage summary')" 3 'no more and no less'
is "$(ls arena)" '' 'and all are removed'
run memusage --finish arena/nowhere
is "$status" 125 '--finish of nothing'
echo garbage >garbage
run memusage --finish garbage
is "$status" 125 '--finish of garbage'
like "$err" '^memusage: garbage: too short for a recording: it was cut off, or is being made$' 'says so'
ok 'which stays' test -e garbage
head -c 100000 /dev/urandom >garbage
run memusage --finish garbage
like "$err" '^memusage: garbage: not a recording of memusage$' 'so of other garbage'
run memusage --finish
is "$status" 125 '--finish without a file'

# ---- kept
run memusage -q --record=kept.mur sh -c 'ls / >/dev/null; exit 3'
is "$status" 3 '--record'
is "$(stat -c %a kept.mur)" 600 'the recording is private'
is "$(od -An -c -N8 kept.mur | tr -d ' ')" MEMUSEG1 'and a recording'
is "$(od -An -tu4 -j20 -N4 kept.mur | tr -d ' ')" 2 'of two images'
run memusage --finish kept.mur
is "$status" 125 '--finish does not take it'
ok 'nor remove it' test -e kept.mur
run memusage -q --record ls /
like "$(ls)" '^memusage.[0-9]+.mur$' '--record has a name of its own'
run memusage -o report --record=/dev/full ls /
num "$status" -eq 125 'a device is no place for it'
if mkdir small && mount -t tmpfs -o size=16k tmpfs small 2>/dev/null; then
	run memusage -o report --record=small/kept ls /
	is "$status" 0 'on a full disk'
	like "$(cat report)" \
		'^memusage: small/kept: .*No space left on device: 1 process is missing in it' \
		'the report says so'
	umount small
	# The collector ends after memusage, but then it has no output open.
	held=0
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		mount -t tmpfs -o size=1m tmpfs small
		memusage -o small/report --record=small/kept -d small/data ls / >/dev/null
		cat small/report >report
		umount small 2>/dev/null || { held=$((held + 1)) && umount -l small; }
	done
	recorded 'twenty runs'
	is "$held" 0 '... whose file system could be unmounted when they returned'
else
	skip 'cannot mount here' 4
fi
done_testing
