#!/bin/sh
# memusagestat.t -- memusagestat draws every data file there is, refuses everything else in one
# line, writes nothing but its output, and takes glibc's command line.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusagestat
corpus=$MU_SRC/tests/fuzz/corpus/dat

# dat FILE EVENTS [HEADER...]: a data file of EVENTS events, by perl. HEADER is code that may
# change %h: heap, stack, total, start, end, tag.
dat() {
	perl -e 'my ($n, $code) = @ARGV;
		my %h = (heap => 1000 * $n, stack => 640, total => 1000 * $n + 640,
			 start => 5 << 32, end => (5 << 32) + 10 * $n + 1, tag => 0);
		eval "$code; 1" or die $@;
		binmode STDOUT;
		print pack("Q6", @h{qw(tag total start heap stack end)});
		print pack("Q3", 1000 * $_, 64 * ($_ % 11), (5 << 32) + 10 * $_) for 1 .. $n;' \
		"$2" "${3:-}" >"$1"
}
is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] &&
	[ "$(tail -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 49454e44ae426082 ]; }
# size_of PNG: WIDTHxHEIGHT
size_of() { perl -e 'local $/; $_ = <>; print join "x", unpack "x16N2"' "$1"; }

# ---- outputs
dat run.dat 100
chmod 400 run.dat
before=$(cksum <run.dat)
run memusagestat run.dat
is "$status$out$err" 0 'success is silent'
ok 'the picture is DATAFILE.png' is_png run.dat.png
is "$(size_of run.dat.png)" 800x600 'and has the default size'
run memusagestat -o ignored.png run.dat second.png
is "$status" 0 'an operand and -o together'
ok 'the operand wins' is_png second.png
nok 'and -o makes nothing' test -e ignored.png
memusagestat run.dat -o- >dash.png
same dash.png run.dat.png 'the output "-" is standard output'
memusagestat run.dat -o /dev/stdout | cat >piped.png
same piped.png run.dat.png 'and so is /dev/stdout, a pipe too'
memusagestat - <run.dat >stdin.png
same stdin.png run.dat.png 'the input "-" is standard input'
cat run.dat | memusagestat - from-pipe.png
same from-pipe.png run.dat.png 'a pipe gives the same picture'
memusagestat /dev/stdin by-name.png <run.dat
same by-name.png run.dat.png 'and a device does'
nok 'no file is called "-.png"' test -e ./-.png
is "$(cksum <run.dat)" "$before" 'the input was not touched'
for chunk in Title Software 'Heap peak' 'Stack peak' Calls; do
	memusagestat -s 'a title' run.dat t.png
	ok "the picture has a text chunk $chunk" grep -aq "tEXt$chunk" t.png
done
memusagestat -s 'Kůň' run.dat t.png
ok 'a title in UTF-8 is marked as such' grep -aq 'iTXtTitle' t.png

# ---- options
for o in -tT '-t -T' '--time --total' '--tim --tot' '-T -s x -t' '--string=x -t -T'; do
	# shellcheck disable=SC2086  # words are wanted
	run memusagestat $o -o o.png run.dat
	is "$status$err" 0 "$o"
done
run memusagestat -x 300 --y-size=200 run.dat o.png
is "$(size_of o.png)" 300x200 'the size is what was asked for'
run memusagestat -x1 -y1 run.dat o.png
is "$(size_of o.png)" 100x80 'but not below 100 x 80'
run memusagestat --help
is "$status" 0 '--help is no error'
like "$out" '^Usage: memusagestat \[OPTION\]\.\.\. FILE \[OUTFILE\]$' 'and says how'
run memusagestat --usage
like "$out" '\[--x-size=PIXELS\]' '--usage is short'
run memusagestat -V
like "$out" '^memusagestat \(memusage\) [0-9]' '-V names the version'

# usage_error LINE OPTION...
usage_error() {
	line=$1
	shift
	run memusagestat "$@"
	is "$status" 2 "$*: a usage error"
	is "$err" "memusagestat: $line
Try 'memusagestat --help' for more information." 'which says why'
}
usage_error 'no file given'
usage_error "'c' is one file too many: FILE is read, OUTFILE is written" a b c
usage_error "unknown option '--bogus'" --bogus run.dat
usage_error "-x: '0' is out of range (1 to 32767)" -x 0 run.dat
usage_error "-x: '-5' is not a whole number (1 to 32767)" -x -5 run.dat
usage_error "-y: '4000000000' is out of range (1 to 32767)" -y 4000000000 run.dat
usage_error "-y: 'wide' is not a whole number (1 to 32767)" -y wide run.dat
usage_error 'a picture of 30000 x 30000 pixels is too big: 67108864 at most' \
	-x 30000 -y 30000 run.dat

# ---- what is wrong with an input or an output
# fails LINE ARGUMENT...
fails() {
	line=$1
	shift
	run memusagestat "$@"
	is "$status: $err" "1: memusagestat: $line" "$line"
}
fails 'cannot open missing: No such file or directory' missing
fails 'cannot open .: Is a directory' .
fails 'cannot write no/such.png: No such file or directory' run.dat no/such.png
fails 'cannot write .: Is a directory' run.dat .
fails 'cannot write /dev/full: No space left on device' run.dat /dev/full
memusagestat run.dat - >/dev/full 2>err
is "$? $(cat err)" '1 memusagestat: cannot write standard output: No space left on device' \
	'a full disk behind standard output'
cp run.dat own.dat
chmod 600 own.dat
fails 'own.dat is the input: give another name for the picture' own.dat own.dat
fails './own.dat is the input: give another name for the picture' own.dat ./own.dat
is "$(cksum <own.dat)" "$before" 'the input is still there'
head -c 8 /bin/sh >exe
fails 'exe: this is a program or a library: memusage --top PROGRAM profiles a program' exe
reads="memusagestat draws data files (memusage --data), recordings, massif.out files and DHAT's JSON"
echo 'int main(void) { return 0; }' >other.c
fails "other.c: this is text: $reads" other.c
fails "other.c: this is text: $reads" --flame other.c flame.svg
fails '/dev/zero: not a memusage data file: the headers are all zero (at byte 47)' /dev/zero
fails '/dev/null: is empty: nothing was written to it' /dev/null
printf 'MEMUSEG1 and so on, 48 bytes or more of a recording........' >recording
fails 'recording: too short for a recording: it was cut off, or is being made' recording
run memusagestat --theme=classic recording
is "$status: $err" "1: memusagestat: recording: this is a recording, but the classic theme draws data files only: \
name the file, without --theme=classic, or run memusage with --data=FILE" 'the classic graph of a recording'
# A picture that was there stays when the input is bad.
cp run.dat.png kept.png
run memusagestat exe kept.png
same kept.png run.dat.png 'a bad input costs no older picture'
yes | memusagestat - endless.png 2>err
is "$(cat err)" "memusagestat: standard input: this is text: $reads" \
	'an endless pipe of something else is refused at once'
# 4 MiB stand for the disk.
(ulimit -f 8192; { cat run.dat; cat /dev/zero; } | memusagestat - endless.png) 2>err
like "$(cat err)" '^memusagestat: standard input: cannot write: File too large$' \
	'an endless pipe of events ends with the room for it'
nok 'and leaves no picture' test -e endless.png

# ---- repairs
# warns FILE LINE
warns() {
	run memusagestat "$1" w.png
	is "$status: $err" "0: memusagestat: $1: $2" "$2"
	ok '... and it is drawn' is_png w.png
}
dat unfinished 10 '@h{qw(heap stack total)} = (0, 0, 0); $h{end} = $h{start}'
warns unfinished 'the run did not end normally: its peaks and end are those of its 10 events'
dat low 10 '$h{heap} = 5'
warns low 'events exceed the peaks that the file states: they set the scale'
dat reversed 10 '$h{end} = 1'
warns reversed 'the end is before the start: the time of the last event is used'
cp "$corpus/big-endian" swapped
warns swapped 'the byte order is that of another machine, and is converted'
dat instant 3 '$h{end} = $h{start}'
for o in '' -t; do
	# shellcheck disable=SC2086
	run memusagestat $o instant i.png
	is "$status$err" 0 "a run that took no time${o:+, $o}"
	dat empty 0 '$h{heap} = $h{stack} = 0'
	# shellcheck disable=SC2086
	run memusagestat $o empty e.png
	is "$status$err" 0 "a run without a call${o:+, $o}"
done
run memusagestat "$corpus/wrapped" -T w.png
is "$status" 0 'a heap below zero, as glibc counts it'

# Every length of a small file: refused below the headers, drawn from there on.
dat small 3
size=$(wc -c <small) wrong=0
n=0
while [ "$n" -lt "$size" ]; do
	head -c "$n" small >part
	memusagestat part part.png 2>err
	status=$?
	lines=$(wc -l <err)
	case $n:$status:$lines in
	[0-9]:1:1 | [123][0-9]:1:1 | 4[0-7]:1:1) ;;
	48:0:0 | 72:0:0 | 96:0:0) ;;
	*:0:1) [ $((n % 24)) != 0 ] || wrong=$((wrong + 1)) ;;
	*) wrong=$((wrong + 1)); diag "$n bytes: status $status: $(cat err)" ;;
	esac
	n=$((n + 1))
done
is "$wrong" 0 "all $size truncations of a file"
wrong=0
for n in 1 2 3 4 5 6 7 8 9 10; do
	head -c $((n * 480)) /dev/urandom >garbage
	memusagestat garbage g.png 2>err && wrong=$((wrong + 1))
	[ "$(grep -c 'not a memusage data file (at byte 0)$' err)" = 1 ] || wrong=$((wrong + 1))
done
is "$wrong" 0 'random bytes are refused'

# ---- names
newline='with a
new line'
for name in 'with space' "$newline" "$(printf 'latin\351')" 'x;echo y' '-dash' '%p%q{HOME}'; do
	cp run.dat "./$name"
	run memusagestat -- "$name"
	is "$status$err" 0 "an input called '$name'"
	ok '... gives the picture beside it' is_png "./$name.png"
done
run memusagestat "$newline.no"
is "$err" 'memusagestat: cannot open with a?new line.no: No such file or directory' \
	'a name cannot break the line of a message'
done_testing
