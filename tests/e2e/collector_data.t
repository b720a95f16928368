#!/bin/sh
# collector_data.t -- the data file: every event once, in order, with headers, where it was
# asked for.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin heap threads forks

# check_data FILE: prints records, peaks and what is wrong with it
check_data() {
	perl -e '
		open my $in, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
		local $/; my @w = unpack "Q<*", <$in>;
		die "length\n" if @w % 3 || @w < 6;
		my ($n, $heap, $stack, $total, $time, $wrong) = (@w / 3 - 2, 0, 0, 0, 0, "");
		$wrong .= " no tag" if $w[0] != 0x00003156736e554d;
		for (my $i = 6; $i < @w; $i += 3) {
			$heap = $w[$i] if $w[$i] > $heap;
			$stack = $w[$i + 1] if $w[$i + 1] > $stack;
			$total = $w[$i] + $w[$i + 1] if $w[$i] + $w[$i + 1] > $total;
			$wrong = " time goes back" if $w[$i + 2] < $time;
			$time = $w[$i + 2];
		}
		$wrong .= " heap peak $w[3]" if $w[3] != $heap;
		$wrong .= " stack peak $w[4]" if $w[4] != $stack;
		$wrong .= " total peak $w[1]" if $w[1] != $total;
		$wrong .= " end" if $w[5] < $time;
		print "records $n heap $heap last ", $n ? $w[-3] : 0, " wrong$wrong\n";
	' "$1"
}
# events REPORT: the records that its counters stand for
events() {
	awk "$report_table" report | awk '
		$2 == "calls" && $1 ~ /^(malloc|calloc|realloc|memalign|free)$/ { n += $3 }
		$2 == "failed" { n -= $3 }
		END { print n }'
}

cat >steps.c <<'END'
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	if (argc > 2)
		kill(atoi(argv[2]), SIGSTOP);
	for (long i = 0; i < n; i++) {
		void *volatile p = malloc(100 + i % 900);
		free(p);
	}
	if (argc > 2)
		kill(atoi(argv[2]), SIGCONT);
	return 0;
}
END
compile "${CC:-cc}" -O1 -fno-builtin -o steps steps.c

for n in 0 1 5 100 32767 32768 40000 300000; do
	run memusage --no-timer -o report -d data.dat ./steps $n
	like "$(check_data data.dat)" "^records $((2 * n)) .* last 0 wrong$" \
		"$n steps: every event once"
done
num "$(stat -c %b data.dat)" -le $((600002 * 24 / 512 + 256)) 'no more of the disk than it needs'
for option in -u '-b 1' '-b 7' '-b 4096' '-b 0'; do
	# shellcheck disable=SC2086
	run memusage --no-timer -o report $option -d data.dat ./steps 5000
	like "$(check_data data.dat)" "^records 10000 .* wrong$" "$option: every event once"
done
run memusage --no-timer -o report -d data.dat ls -l /
recorded 'ls'
like "$(check_data data.dat)" "heap $(report_field heap peak) .* wrong$" \
	'the peak in the file is that of the report'

run memusage --no-timer -o report -d data.dat threads many 100
if [ "$status" = 0 ]; then
	like "$(check_data data.dat)" ' wrong$' 'threads: in order, with the right headers'
else
	run memusage --no-timer -o report -d data.dat threads
	like "$(check_data data.dat)" ' wrong$' 'threads: in order, with the right headers'
fi

# ---- a file that grows while the program runs
cat >slow.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++)
		free(malloc(1000));
	char c;
	return (int)read(0, &c, 1);
}
END
compile "${CC:-cc}" -O1 -fno-builtin -o slow slow.c
mkfifo hold
is_size() { [ "$(wc -c <"$1")" -eq "$2" ]; }
for option in -u '-b 32768'; do
	rm -f data.dat
	# shellcheck disable=SC2086
	memusage -q --no-timer $option -d data.dat ./slow <hold &
	exec 3>hold
	is "$(until_true is_size data.dat $((22 * 24)); wc -c <data.dat)" $((22 * 24)) \
		"$option: all is in the file while the program does nothing"
	is "$(od -An -tu8 -j24 -N16 data.dat | tr -s ' ')" ' 0 0' \
		'its headers are those of an unfinished one'
	exec 3>&-
	wait
	like "$(check_data data.dat)" '^records 20 heap 1000 .* wrong$' 'and are right in the end'
done

# ---- names
# A sample of the timer is a record, too.
MEMUSAGE_NO_TIMER=1
export V=value MEMUSAGE_NO_TIMER
run memusage -q -d 'x%q{V}-%%.dat' ./steps 3
like "$(check_data 'xvalue-%.dat')" '^records 6 ' '%q{V} and %%'
run memusage -q -d 'p%p.dat' sh -c './steps 1; ./steps 2; exit'
is "$(for f in p*.dat; do check_data "$f"; done | awk '$2 < 5 { print $2 }' | sort | xargs)" '2 4' \
	'%p: a file for each process'
run memusage -q --children=files -d c.dat sh -c './steps 1; ./steps 2; exit'
is "$(for f in c.dat.*; do check_data "$f"; done | awk '{ print $2 }' | sort | xargs)" '2 4' \
	'--children=files: FILE.PID'
run memusage -q -d e.dat sh -c './steps 5; exec sh -c "exec ./steps 7"'
like "$(check_data e.dat)" '^records 14 ' 'FILE is the last image'
is "$(echo e.dat.* | wc -w)" 2 'the earlier ones are there'
like "$(echo e.dat.*)" '^e.dat.([0-9]+).1 e.dat.[0-9]+.2$' 'as FILE.PID.1 and .2'
run memusage -q -n steps -d n.dat sh -c './steps 11; ./steps 12'
like "$(check_data n.dat)" '^records 22 ' 'with -n the first that matches'
unset MEMUSAGE_NO_TIMER
run memusage -q -d f.dat forks fork 2
like "$(check_data f.dat)" ' wrong$' 'a program that forks'
is "$(echo f.dat*)" f.dat 'its children have no files'
run memusage -q -d 'k%p.dat' forks fork 2
for f in k*.dat; do
	like "$(check_data "$f")" ' wrong$' 'forked children begin with the heap of their parent'
done
ok 'a pipe' sh -c 'memusage -q --no-timer -d /dev/stdout ./steps 9 | cat >piped.dat'
like "$(check_data piped.dat)" '^records 18 .* wrong$' 'has headers all the same'
run memusage -d s.dat -o report "$(command -v true)"
ok 'a program without events has a file' test "$(wc -c <s.dat)" -eq 48
printf 'static int x; int main(void) { return x; }' >static.c
if ! has_library libc.a; then
	skip 'no static libc here' 4
elif compiled "${CC:-cc}" -static -o static static.c; then
	run memusage -d none.dat -o report ./static
	nok 'a static program has none' test -e none.dat
	like "$(cat report)" '^memusage: ./static was not recorded: it is statically linked' \
		'and the report says why'
	run memusage -q -d none.dat ./static
	like "$err" '^memusage: ./static was not recorded: it is statically linked' \
		'with --quiet too, since data were asked for'
	run memusage -q ./static
	is "$err" '' 'else it is quiet'
fi

# ---- full disk
run memusage -o report -d /dev/full ./steps 10000
is "$status" 0 'a full disk does not stop the program'
like "$(cat report)" '^memusage: /dev/full: .*No space left on device: [0-9]+ events are missing' \
	'the report says what is missing'
run memusage -q -d /dev/full ./steps 10000
like "$err" '^memusage: /dev/full: .*No space left on device: [0-9]+ events are missing' \
	'with --quiet too'
if mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
	run memusage -o report -d small/data ./steps 10000
	is "$status" 0 'a disk that fills up'
	like "$(cat report)" '^memusage: small/data: .*No space left on device: [0-9]+ events' \
		'says so'
	lost=$(sed -n 's/^memusage: small.data: .* \([0-9]*\) events are missing in it/\1/p' report)
	have=$(check_data small/data | awk '{ print $2 }')
	is $((${have:-0} + ${lost:-0})) 20000 '... and how many events are missing'
	umount small
else
	skip 'cannot mount here' 3
fi

# ---- a large file, which goes past the page cache; and one that meets its limit there
run memusage --no-timer -o report -d data.dat ./steps 400000
is "$(check_data data.dat | sed 's/ heap [0-9]*//')" 'records 800000 last 0 wrong' \
	'a large file has each event once, in order'
run sh -c 'ulimit -f 20001; exec memusage --no-timer -o report -d data.dat ./steps 400000'
is "$status" 0 'a limit of the size of files'
lost=$(sed -n 's/^memusage: data.dat: .* \([0-9]*\) events are missing in it/\1/p' report)
num "${lost:-0}" -gt 300000 'what is beyond it is said to be missing'
have=$(check_data data.dat | awk '{ print $2 }')
is $((${have:-0} + ${lost:-0})) 800000 'and the rest is there, in whole records'

# ---- a collector that does not keep up: nothing is lost silently
# shellcheck disable=SC2016
run memusage --no-timer -o report --log-limit=64K -d data.dat sh -c \
	'exec ./steps 100000 $("$MU_SRC/tests/lib/pids" memusage-collec "$PPID")'
lost=$(sed -n 's/^memusage: not recorded: \([0-9]*\) events in the data file.*/\1/p' report)
num "${lost:-0}" -gt 100000 'events beyond --log-limit are dropped and counted'
have=$(check_data data.dat | awk '{ print $2 }')
is $((have + ${lost:-0})) 200000 'written and dropped ones are all'
like "$(check_data data.dat)" ' last (0|[1-9][0-9][0-9]) wrong$' 'the heap stays right'

# ---- pictures
if has_program memusagestat; then
	run memusage -q -p graph ./steps 100
	is "$status" 0 '-p'
	is "$(head -c 4 graph.png | tail -c 3)" PNG 'draws FILE.png'
	run memusage -q -p graph2.png -tT --title 'two words' -x 400 -y 300 ./steps 100
	is "$(od -An -tx1 -j16 -N8 graph2.png | tr -d ' ')" 000001900000012c 'of the size asked for'
	is "$(ls ./*.dat.* ./data 2>/dev/null)" "$(ls ./*.dat.* 2>/dev/null)" 'data are not kept'
	mkdir gone
	run memusage -p gone/graph sh -c 'rmdir gone; exec ./steps 100'
	is "$status" 0 'a picture that cannot be drawn does not change the status'
	like "$err" 'was not drawn' 'but is said'
	run memusage -q -p shown -d kept.dat sh -c './steps 3; exit 4'
	is "$status" 4 'nor does one that can'
	ok 'with -d the data are kept' test -s kept.dat
else
	skip 'this build has no memusagestat' 8
fi
done_testing
