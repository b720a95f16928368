#!/bin/sh
# memusageprint.t -- memusageprint recognises every kind of file whatever it comes through, names
# the line of what is damaged, writes nothing but its output, and loses no error.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusageprint
corpus=$MU_SRC/tests/fuzz/corpus

cp "$MU_SRC/tests/golden/massif/sites.out" m.out
chmod 400 m.out
cp "$corpus/massif/small" small
before=$(cksum <m.out)

# ---- ways in and out
# Only the line with the arguments may differ.
body() { sed 's/^ms_print arguments: .*/ARGUMENTS/'; }
body <"$MU_SRC/tests/golden/massif/sites.txt" >want
run memusageprint m.out
is "$status$err" 0 'success is silent'
cp .out plain
body <plain >got
same got want 'a file'
memusageprint - <m.out | body >got
same got want 'standard input'
cat m.out | memusageprint - | body >got
same got want 'a pipe'
(head -c 3; sleep 0.1; cat) <m.out | memusageprint /dev/stdin | body >got
same got want 'a pipe that delivers in pieces'
gzip -c m.out >m.gz
memusageprint m.gz | body >got
same got want 'a compressed file'
memusageprint - <m.gz | body >got
same got want 'a compressed pipe'
cat m.gz m.gz >twice.gz
run memusageprint twice.gz
is "$status" 0 'two compressed files in one are one file'
head -c 900 m.gz >cut.gz
run memusageprint cut.gz
is "$status" 1 'a compressed file that was cut'
like "$err" '^memusageprint: cut.gz: .*ends too early' 'is said to be'
{ head -c 500 m.gz; printf '\377\377\377\377'; tail -c +505 m.gz; } >bad.gz
run memusageprint bad.gz
is "$status" 1 'a damaged compressed file'
like "$err" '^memusageprint: bad.gz: ' 'is refused'
memusageprint --output=o.txt m.out
body <o.txt >got
same got want '--output'
same o.txt plain 'which the text does not mention'
for o in '-o o.txt' '-oo.txt' '--output o.txt' '--outp=o.txt'; do
	# shellcheck disable=SC2086  # words are wanted
	memusageprint $o m.out
	like "$(cat o.txt)" '^ms_print arguments: m.out$' "$o"
done
memusageprint m.out --x=72 -o o.txt -- small
like "$(cat o.txt)" '^ms_print arguments: m.out --x=72$' 'several files: the first'
like "$(cat o.txt)" '^ms_print arguments: --x=72 small$' 'and the second, each with its arguments'
is "$(cksum <m.out)" "$before" 'the input was not touched'

# ---- options
for o in --threshold=0 --threshold=100 --threshold=5.5% '--threshold 7' --x=4 '--x 1000' --y=4 \
	--y=1000; do
	# shellcheck disable=SC2086  # words are wanted
	run memusageprint $o small
	is "$status$err" 0 "$o"
done
run memusageprint --help
is "$status" 0 '--help is no error'
like "$out" '^Usage: memusageprint \[OPTION\]\.\.\. FILE\.\.\.$' 'and says how'
run memusageprint --version
like "$out" '^memusageprint \(memusage\) [0-9]' '--version names the version'

# usage_error LINE OPTION...
usage_error() {
	line=$1
	shift
	run memusageprint "$@"
	is "$status" 2 "$*: a usage error"
	is "$err" "memusageprint: $line
Try 'memusageprint --help' for more information." 'which says why'
}
usage_error 'no file given'
usage_error 'no file given' --x=20
usage_error "--x: '3' is out of range (4 to 1000)" --x=3 small
usage_error "--y: '1001' is out of range (4 to 1000)" --y=1001 small
usage_error "--threshold: '100.1' is out of range (0 to 100)" --threshold=100.1 small
usage_error "--threshold: '1e1' is not a percentage" --threshold=1e1 small
usage_error "--threshold: '' is not a percentage" --threshold= small
usage_error "--threshold: '%' is not a percentage" --threshold=% small
usage_error "--threshold: '-1' is not a percentage" --threshold=-1 small
usage_error "unknown option '--bogus'" --bogus small

# ---- what is wrong with an input or an output
# fails LINE ARGUMENT...
fails() {
	line=$1
	shift
	run memusageprint "$@"
	is "$status$out: $err" "1: memusageprint: $line" "$line"
}
fails 'cannot open missing: No such file or directory' missing
fails 'cannot open .: Is a directory' .
fails '/dev/null: is empty: nothing was written to it' /dev/null
echo 'int main(void) { return 0; }' >other.c
reads="memusageprint reads recordings (memusage --record), massif.out files and DHAT's JSON"
fails "other.c: this is text: $reads" other.c
head -c 8 /bin/sh >exe
fails 'exe: this is a program or a library: memusage --top PROGRAM profiles a program' exe
printf '\050\265\057\375\004' >heaptrack.zst
fails "heaptrack.zst: this is compressed by zstd: decompress it first (zstd -d); if heaptrack wrote it, $(:
	)heaptrack_print -M massif.out FILE makes a massif.out of it" heaptrack.zst
echo '{"format":"memusage","version":1}' >run.json
fails 'run.json: this is the output of memusageprint --to=json: give the recording that it was made of' \
	run.json
printf '\001\002\003\004' >binary
fails "binary: this is a file of an unknown kind: $reads" binary
fails '/dev/zero: this is a data file: memusagestat draws it' /dev/zero
cp "$corpus/dat/tagged" run.dat
fails 'run.dat: this is a data file: memusagestat draws it' run.dat
echo '{"dhatFileVersion":2,"mode":"heap"}' >dhat.out
run memusageprint dhat.out
like "$status $err" '^1 memusageprint: dhat.out: ' 'half a profile of DHAT'
{ head -n 20 small; echo 'n1: x'; } >bad
fails "bad: line 21: expected a line of a tree, 'nCHILDREN: BYTES NAME', got 'n1: x'" bad
printf 'desc: x\ncmd: \033[31mred\ntime_unit: \033q\n' >escape
fails "escape: line 3: expected 'i', 'ms', 'B' or 's' after 'time_unit:', got 'time_unit: ?q'" \
	escape
fails 'cannot write no/such: No such file or directory' -o no/such small
fails 'cannot write .: Is a directory' -o . small
cp small own
fails 'own is an input: give another name for the output' -o own own
fails './own is an input: give another name for the output' -o ./own small own
same own small 'the input is still there'
echo precious >kept
run memusageprint -o kept bad
is "$status $(cat kept)" '1 precious' 'a bad input does not cost the older output'
memusageprint small >/dev/full 2>err
is "$? $(cat err)" '1 memusageprint: cannot write standard output: No space left on device' \
	'a full disk behind standard output'

# ---- a file that ends early, and others after a bad one
head -n 22 small >cut.out
run memusageprint cut.out
is "$status" 1 'a file that ends in a tree'
is "$err" "memusageprint: cut.out: line 22: expected a line of a tree, got the end of the file; \
whole snapshots before: 1" 'says where'
like "$out" '^Number of snapshots: 1$' 'what is whole is printed'
run memusageprint missing small bad small
is "$status" 1 'bad files among others'
is "$(printf '%s\n' "$out" | grep -c '^Number of snapshots: 3$')" 2 'the others are printed'
is "$(printf '%s\n' "$err" | grep -c '^memusageprint: ')" 2 'and each bad one has a line'

# ---- other formats
memusageprint --to=folded m.out >folded
like "$(cat folded)" '^main;peak;recursive;recursive;recursive;recursive;shallow;wrapped [0-9]+$' \
	'folded stacks go from main to the place that allocated'
# At the peak all of the useful heap is in the tree.
peak=$(perl -ne '$b = $1 if /^mem_heap_B=(\d+)/; if (/=peak/) { print $b; exit }' m.out)
is "$(perl -ne '$n += $1 if / (\d+)$/; END { print $n }' folded)" "$peak" 'and weigh the peak'
memusageprint --to=callgrind m.out >m.callgrind
is "$(sed -n 's/^totals: //p' m.callgrind)" "$peak" "callgrind's format has the same total"
if command -v callgrind_annotate >/dev/null 2>&1; then
	# Here nothing is below a threshold, and so without a caller.
	memusageprint --to=callgrind "$MU_SRC/tests/golden/massif/sites-all.out" >all.callgrind
	run callgrind_annotate --inclusive=yes all.callgrind
	like "$(printf %s "$out" | tr -d ,)" "^ *$peak \(100.0%\) *sites.c:main" \
		'and callgrind_annotate says that main is responsible for all'
else
	skip 'no callgrind_annotate here'
fi
memusageprint --to=massif m.out >again
same again m.out 'massif.out as massif.out'
memusageprint --to=json m.out >m.json
if command -v python3 >/dev/null 2>&1; then
	is "$(python3 -c 'import json, sys
m = json.load(open("m.json"))
p = [s for s in m["snapshots"] if s["kind"] == "peak"][0]
print(m["time_unit"], m["command"], p["tree"]["bytes"], len(p["tree"]["children"]) > 1)')" \
		"B ./sites $peak True" 'JSON, read by python'
	perl "$MU_SRC/tests/lib/massif_random.pl" 3 >random
	memusageprint --to=json random >random.json
	ok 'JSON of a file with names of every byte' python3 -m json.tool random.json
else
	skip 'no python3 here' 2
fi
memusageprint --to=massif "$corpus/massif/heaptrack" >ht
like "$(head -n 3 ht | tr '\n' '|')" '^desc: heaptrack.cmd: ./p.time_unit: ms.$' \
	"heaptrack's export becomes one that everybody reads"
head -n 19 "$corpus/massif/heaptrack" | grep -v tree= | head -n 7 >plain
echo heap_tree=empty >>plain
fails 'plain: no snapshot has a tree: there are no stacks to convert' --to=folded plain
run memusageprint --temporary m.out
is "$status" 1 'a report that a massif.out cannot give'
like "$err" '^memusageprint: m.out: this is a massif.out: the reports of places for it are --plot' 'is refused'
run memusageprint --leaks m.out
is "$status" 1 'what was live at the end, without a tree of the end'
like "$err" '^memusageprint: m.out: snapshot 67 has no tree' 'is refused, too'

# ---- more than valgrind's printer can: heaptrack's export, with half a header or none
run memusageprint "$corpus/massif/heaptrack"
is "$status$err" 0 "heaptrack's export"
like "$out" '^  1  1,234,570,000           73,664 ' 'its seconds become ms'
like "$out" '^Command:            \./p$' 'its header may come last'
done_testing
