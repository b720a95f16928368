#!/bin/sh
# merge_readers.t -- A merge that reads several recordings at a time says the same, to the byte and in the same
# order, as one that reads them one after the other.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint phases labels
need gzip mkfifo python3

# ---- recordings of all kinds -------------------------------------------------------------------------

for i in 1 2 3 4 5 6 7 8; do
	memusage -q --record="p$i.mur" "$WORKLOADS/phases" $((100 * i)) "$i" </dev/null >/dev/null
done
for i in 1 2 3; do
	memusage -q --sample=16K --record="s$i.mur" "$WORKLOADS/phases" 2000 "$i" </dev/null >/dev/null
done
memusage -q --children=merge --record=tree.mur "$WORKLOADS/phases" 1000 10 3 </dev/null >/dev/null
memusage -q --children=merge --sample=16K --record=stree.mur "$WORKLOADS/phases" 1000 10 3 \
	</dev/null >/dev/null
memusage -q --record=labels.mur "$WORKLOADS/labels" </dev/null >/dev/null 2>&1
memusage -q --record=sh.mur sh -c 'ls / >/dev/null; true' >/dev/null
gzip -k p2.mur s1.mur tree.mur

several=$(attempts '2 7' '2 5 8')
# all_same WHAT FILE...: reports of the files, in this order, are those of one reader.
all_same() {
	what=$1
	shift
	for readers in 1 $several; do
		rm -rf "out$readers"
		mkdir "out$readers"
		for report in --processes --top=100 --tree=total --leaks --temporary --growth --plot \
			--to=json --to=folded --to=speedscope --to=callgrind --to=pprof; do
			memusageprint --merge --readers="$readers" "$report" -o "out$readers/$report" \
				"$@" 2>"out$readers/$report.err"
			echo "$?" >"out$readers/$report.status"
		done
		[ -z "$page" ] ||
			memusagestat --merge --readers="$readers" --html="out$readers/page" "$@" \
				2>"out$readers/page.err"
	done
	for readers in $several; do
		run diff -r out1 "out$readers"
		is "$status" 0 "$what: $readers readers say what one says"
		[ "$status" -eq 0 ] || diag "$(printf '%s\n' "$out$err" | cut -c 1-300 | head -n 5)"
	done
	num "$(wc -c <out1/--to=json)" -gt 500 '... and that is a report'
}
page=
if has_page "$MU_BUILD" && [ -x "$MU_BUILD/bin/memusagestat" ]; then
	page=yes
fi

all_same exact p?.mur
all_same 'estimates, forks, labels, compressed' s?.mur p?.mur.gz s?.mur.gz tree.mur* stree.mur \
	labels.mur sh.mur
for seed in $(seq "$(attempts 1 2)"); do
	# shellcheck disable=SC2046 # names without blanks
	all_same "random order $seed" $(python3 -c "
import glob, random
files = sorted(glob.glob('*.mur*'))
random.seed($seed)
random.shuffle(files)
print(*files)")
done

# ---- what cannot be read -----------------------------------------------------------------------------

head -c 3000 p1.mur >cut.mur
head -c 20000 p1.mur >half.mur
head -c 900 p2.mur.gz >cut.mur.gz
: >empty.mur
echo text >text.mur
python3 - <<'END'
data = bytearray(open('p3.mur', 'rb').read())
for at in range(len(data) // 2, len(data) // 2 + 400):
    data[at] ^= 0x55
open('damaged.mur', 'wb').write(data)
END
unread='cut.mur half.mur cut.mur.gz empty.mur text.mur none.mur .'
broken="damaged.mur $unread"
# shellcheck disable=SC2086 # names without blanks
all_same 'broken files in the middle' p1.mur p2.mur $broken p3.mur $broken tree.mur p4.mur
is "$(grep -c . out1/--top=100.err)" "$(grep -c . out2/--top=100.err)" '... with as many messages'
num "$(grep -c . out2/--top=100.err)" -ge 14 '... one for each, at least'
is "$(cat out2/--top=100.status)" 1 '... and the status of an error'
# shellcheck disable=SC2086
run memusageprint --merge --readers=8 $unread
isnt "$status" 0 'nothing but broken files is an error'
like "$err" 'cannot merge: no process can be read' '... which is said'
if [ -n "$page" ]; then
	cp p1.mur same.mur
	run memusagestat --merge --readers=8 --flame -o same.mur none.mur p2.mur p3.mur same.mur p4.mur
	is "$status" 1 'a picture that is also an input is refused'
	is "$err" "memusagestat: cannot open none.mur: No such file or directory
memusagestat: same.mur is the input: give another name for the picture" \
		'... after the messages about files before it'
	same same.mur p1.mur '... unharmed'
else
	skip 'this build has no HTML page' 3
fi

# ---- limits ------------------------------------------------------------------------------------------

for tool in memusageprint memusagestat; do
	[ -x "$MU_BUILD/bin/$tool" ] || continue
	run "$tool" --readers=2 p1.mur
	is "$status" 2 "$tool: --readers without --merge does nothing, so it is refused"
	for number in 0 9; do
		run "$tool" --merge --readers="$number" -o none p1.mur
		is "$status" 2 "$tool: $number readers are refused"
	done
done
# shellcheck disable=SC3045 # dash has it
run sh -c 'ulimit -n 20 && memusageprint --merge --readers=8 --to=json "$@"' sh p?.mur s?.mur tree.mur
memusageprint --merge --readers=1 --to=json p?.mur s?.mur tree.mur >one 2>/dev/null
is "$out" "$(cat one)" 'few descriptors make few readers'

# ---- pipes -------------------------------------------------------------------------------------------

for file in p1.mur p2.mur.gz; do
	for tool in 'memusageprint --merge --top' 'memusagestat --merge --flame -o pipe.svg'; do
		[ -x "$MU_BUILD/bin/${tool%% *}" ] || continue
		rm -f pipe
		mkfifo pipe
		cat "$file" >pipe &
		# shellcheck disable=SC2086 # options
		run timeout 60 $tool p3.mur pipe p4.mur
		is "$status" 1 "$tool: a pipe with $file, which can be read once, is left out"
		like "$err" 'pipe: is no regular file: --merge reads recordings twice' '... which is said'
		wait
	done
done
done_testing
