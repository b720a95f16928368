#!/bin/sh
# labels.t -- labels of threads (MEMUSAGE_LABEL) are in every report, with exact sums, and no number or
# text of them does harm.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint labels
need jq
PATH=$WORKLOADS:$PATH

# json_lines FILE: "LABELS bytes=N blocks=N" of what malloc returned and is live at the end, sorted,
# with "-" for no labels. (pthread_create takes memory of its own by calloc.)
json_lines() {
	jq -r '[.sites[] | select(.live_blocks > 0 and .call == "malloc") | {
		l: ((.labels // {}) | to_entries | sort_by(.key) |
			map("\(.key)=\(.value)") | join(",") | if . == "" then "-" else . end),
		b: .live_bytes, n: .live_blocks}] | group_by(.l)[] |
		"\(.[0].l) bytes=\(map(.b) | add) blocks=\(map(.n) | add)"' "$1"
}
truth() { sed -n 's/^truth //p' "$1"; }

# ---- sums ------------------------------------------------------------------------------------

for part in plain threads; do
	memusage -q --record=$part.mur labels $part >said || bail "labels $part"
	memusageprint --to=json -o $part.json $part.mur
	isnt "$(truth said)" '' "$part: something is said"
	cp said "said_$part"
	is "$(json_lines $part.json)" "$(truth said)" "$part: each label has its bytes and blocks"
done
memusage -q -o top --top --massif --massif-out-file=massif.out --record=again.mur \
	labels plain >said
memusageprint --to=json -o again.json again.mur
is "$(json_lines again.json)" "$(truth said)" 'with snapshots, too'
memusage -q -o adhoc --mode=ad-hoc labels plain >/dev/null
is "$?" 0 'other modes take no harm'
is "$(labels plain | wc -l)" 5 'nor does the program alone'
memusage -o counted labels plain >/dev/null
like "$(cat counted)" 'heap total: 360000' 'counting alone does not need them'

# ---- forks -----------------------------------------------------------------------------------

memusage -q --record=forks.mur labels forks >said
memusageprint --to=json -o forks.json forks.mur
like "$(json_lines forks.json)" "^$(truth said)\$" 'a parent keeps its labels'
child=$(jq -r '.processes[] | select(.forked) | .pid' forks.json)
memusageprint --to=json --pid="$child" -o child.json forks.mur
is "$(json_lines child.json)" 'job=child bytes=2000 blocks=10
job=parent bytes=4000 blocks=20' 'a child goes on with those of the thread that forked'

# ---- merges ----------------------------------------------------------------------------------

# The sets of both have other numbers; what they say is the same.
memusageprint --merge --to=json -o merged.json plain.mur again.mur threads.mur
{
	truth said_plain
	truth said_plain
	truth said_threads
} | awk '{ split($2, b, "="); split($3, n, "="); bytes[$1] += b[2]; blocks[$1] += n[2] }
	END { for (l in bytes) print l, "bytes=" bytes[l], "blocks=" blocks[l] }' |
	LC_ALL=C sort >merged.truth
is "$(json_lines merged.json | LC_ALL=C sort)" "$(cat merged.truth)" \
	'a merge keeps labels, with their sums'
memusageprint --merge --to=recording -o merged.mur threads.mur plain.mur
memusageprint --to=json -o merged.json merged.mur
num "$(json_lines merged.json | wc -l)" -ge 6 '... and so does a recording of it'

# ---- harm ------------------------------------------------------------------------------------

memusage -q --record=hostile.mur labels hostile >/dev/null
is "$?" 0 'odd labels do no harm'
memusageprint --to=json -o hostile.json hostile.mur
is "$(jq '[.sites[] | .live_bytes] | add' hostile.json)" 60000 'no byte is lost'
num "$(jq '[.sites[] | .labels.number // empty] | unique | length' hostile.json)" -gt 500 \
	'many sets are kept'
num "$(jq '[.sites[] | select(.labels.number == "(more)") | .live_bytes] | add' hostile.json)" -gt \
	30000 'the others have a value that says so'
is "$(jq -r '.sites[] | .labels // {} | keys[] | length' hostile.json | sort -n | tail -1)" 63 \
	'long keys are cut'
run memusageprint --summary hostile.mur
like "$out" 'not recorded: 4[0-9]* labels: there was no room' 'what was dropped is counted'
run memusageprint --top hostile.mur
unlike "$out" "$(printf '\033')" 'no label drives the terminal'
like "$out" 'key0=x key1=x key2=x key3=x key4=x key5=x key6=x key7=x' 'a thread has eight keys'
unlike "$out" 'key8' '... and no more'
like "$out" '[0-9]+ other sets of labels' 'a list of many labels is cut'

# ---- reports ---------------------------------------------------------------------------------

run memusageprint --top plain.mur
like "$out" '^ *195 KiB  55\.6% *2,000  request=login$' '--top lists labels'
like "$out" 'labels request=login 55\.6%, no label 27\.8%, request=search 8\.3%, ' \
	'... and names those of a place'
run memusageprint --tree plain.mur
like "$out" '^ *97\.7 KiB  27\.8% *1,000  no label$' '--tree lists them'
memusage -q --record=none.mur who >/dev/null 2>&1
run memusageprint --top --tree none.mur
unlike "$out" 'label' 'a program without labels has no such lines'
if python3 -c 1 2>/dev/null; then
	memusageprint --to=pprof -o plain.pb.gz plain.mur
	is "$(python3 "$MU_SRC/tests/lib/pprof.py" plain.pb.gz | sed -n 's/^sample [^ ]* [0-9 ]* \([a-z]\)/\1/p' |
		sort -u)" 'request=login
request=login user=root
request=search
request=search user=root' 'pprof has them as labels of samples'
else
	skip 'no python3'
fi

memusage -q --sample=4096 --record=sampled.mur labels plain >/dev/null
run memusageprint --top sampled.mur
like "$out" 'by threads with the label' 'samples have labels'
like "$out" '([+]-|-[0-9.]+ [+])' '... and bounds'

# ---- the page --------------------------------------------------------------------------------

{ has_page "$MU_BUILD" && command -v node >/dev/null; } || {
	skip 'no page, or no node'
	done_testing
}
memusage -q --html=plain.html labels plain >said
sed -n 's/.*<script id="data" type="application\/json">\(.*\)<\/script>.*/\1/p' plain.html >data.json
is "$(jq -r '.labels[] | "\(.name) \(.sites.end_bytes | add)"' data.json | sort)" \
	"$(truth said | sed 's/^-/no label/; s/,/ /; s/ bytes=/ /; s/ blocks=.*//' | sort)" \
	'the page has the sums of each set'
is "$(jq '[.labels[].sites.total_blocks | add] | add' data.json)" \
	"$(jq '.sites.total_blocks | add' data.json)" '... which are all there is'
cat >filter.mjs <<'END'
import { readFileSync } from 'node:fs';
const from = `${process.argv[2]}/page/src/`;
const { Model } = await import(`${from}model.js`), { labelData } = await import(`${from}labels.js`);
const data = JSON.parse(readFileSync('data.json', 'utf8'));
for (const name of ['', 'request=login', 'nonsense']) {
	const model = new Model(labelData(data, name));
	const end = model.snapshots.length - 1;
	console.log(name, model.sum('end_bytes'), model.atSnapshot(end).reduce((a, b) => a + b, 0),
		model.top('end_bytes', 1)[0].label);
}
END
is "$(node filter.mjs "$MU_SRC")" ' 360000 360000 keep
request=login 200000 200000 keep
nonsense 360000 360000 keep' 'the filter shows one set'
memusage -q --html=hostile.html labels hostile >/dev/null
num "$(grep -c '</script>' hostile.html)" -eq "$(grep -c '</script>' plain.html)" \
	'no label ends the data'
sed -n 's/.*<script id="data" type="application\/json">\(.*\)<\/script>.*/\1/p' hostile.html >data.json
is "$(jq '.labels | length' data.json)" 17 'a page has the largest sets, and the others as one'
is "$(jq '[.labels[].sites.end_bytes | add] | add' data.json)" 60000 '... with all bytes'
done_testing
