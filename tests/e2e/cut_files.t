#!/bin/sh
# cut_files.t -- a file that is cut short or compressed is read as far as possible, and a message
# says what is missing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need gzip

# Two processes: the first that ends is a child, and its image comes first.
memusage -q --top --massif --massif-out-file=run.massif --data=run.dat --record=run.mur \
	sh -c '(exit 0); :' 2>err || bail "memusage: $(cat err)"
size=$(wc -c <run.mur)
memusageprint --top=1 run.mur >whole || bail 'no recording'
like "$(cat whole)" ' allocated [0-9.]+% of the ' 'the recording is good'

# ---- recordings that are cut short
head -c $((size - 100)) run.mur >tail.mur
run memusageprint --top=1 tail.mur
is "$status" 1 'a recording without its end: status 1'
cut="cut short: 100 of its $size bytes are missing; of its 2 processes, 1 can be read"
like "$err" "^memusageprint: tail.mur: $cut\$" \
	'... the message says what is missing and what is left'
child=$(printf '%s' "$err" | sed -n 's/.*this report is about process \([0-9]*\);.*/\1/p')
like "$child" '^[0-9]+$' '... and which process is shown'
like "$out" ' allocated [0-9.]+% of the ' '... which is'
run memusageprint --top=1 --pid="$child" tail.mur
is "$(printf '%s\n' "$err" | wc -l)" 1 'no more is said of a process that was chosen'
for report in '--merge' '--merge --top' '--merge --to=recording' '--merge --to=json' \
	'--diff run.mur' '--diff --to=json run.mur'; do
	# shellcheck disable=SC2086
	run memusageprint $report tail.mur
	is "$status" 1 "$report of it: status 1, too"
	isnt "$out" '' '... after what can be read'
done
head -c 5000 run.mur >list.mur
run memusageprint list.mur
cut="cut short: $((size - 5000)) of its $size bytes are missing; no process in it can be read"
is "$status$out: $err" "1: memusageprint: list.mur: $cut" \
	'only the list of processes is left'
head -c 4096 run.mur >head.mur
run memusageprint head.mur
missing="$((size - 4096)) of its $size bytes are missing, and with them"
is "$status$out: $err" "1: memusageprint: head.mur: cut short: $missing the list of its processes: $(:
	)nothing can be read" \
	'only the header is left'
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	run memusagestat --flame=total list.mur list.svg
	is "$status: $err" "1: memusagestat: list.mur: $cut" 'memusagestat says the same'
	run memusagestat --flame=total tail.mur tail.svg
	like "$status: $err" '^1: memusagestat: tail.mur: .* 1 can be read: the result shows process [0-9]+$' \
		'... and draws the process that is whole'
	ok '... as a picture' grep -q '</svg>' tail.svg
	run memusagestat --flame --merge -o merged.svg run.mur tail.mur
	is "$status" 1 '... status 1 of a picture of a merge, too'
	ok '... which is there' grep -q '</svg>' merged.svg
	head -c $(($(wc -c <run.massif) - 10)) run.massif >cut.massif
	run memusagestat cut.massif cut.png
	is "$status" 1 'a picture of a massif.out that is cut short: status 1'
	is "$(memusageprint --diff run.massif cut.massif >/dev/null 2>&1; echo $?)" 1 \
		'... and so of its comparison with another'
	like "$err" ': the file is cut short, and the result shows only its [0-9]+ whole snapshot' \
		'... with the reason'
	is "$(head -c 4 cut.png | tail -c 3)" PNG '... and is drawn'
fi

# ---- compressed files
gzip -k run.mur run.massif run.dat
memusageprint --top=1 run.mur.gz >gz
same gz whole 'a compressed recording'
memusageprint --top=1 - <run.mur.gz >gz
same gz whole '... as standard input'
# shellcheck disable=SC2002
cat run.mur.gz | memusageprint --top=1 - >gz
same gz whole '... through a pipe'
# shellcheck disable=SC2002
cat run.mur | memusageprint --top=1 - >gz
same gz whole 'a recording through a pipe'
head -c $(($(wc -c <run.mur.gz) / 2)) run.mur.gz >half.mur.gz
run memusageprint half.mur.gz
is "$status$out: $err" '1: memusageprint: half.mur.gz: the compressed data ends too early' \
	'half a compressed recording'
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	for file in run.mur run.massif run.dat; do
		memusagestat $file plain.png && memusagestat $file.gz packed.png
		ok "$file.gz gives a picture" test -s packed.png
		rm -f packed.png
	done
	for file in run.mur run.mur.gz run.massif run.dat run.dat.gz; do
		memusagestat - stdin.png <$file
		ok "$file gives one as standard input" test -s stdin.png
		rm -f stdin.png
	done
	memusagestat run.dat plain.png
	memusagestat run.dat.gz packed.png
	same packed.png plain.png 'the picture of a compressed data file is the same'
fi
done_testing
