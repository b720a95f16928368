#!/bin/sh
# page.t -- the HTML page holds what was recorded, to the byte; it is one file, needs no network,
# and what a hostile program is called cannot become a part of it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat who
need_page
need perl node
perl -MJSON::PP -e1 2>/dev/null || skip_all 'no JSON::PP for perl'
ok 'something is recorded' memusage -q --record=who.mur "$WORKLOADS/who"
run memusagestat --html=who.html who.mur
is "$status" 0 'a page is made' || diag "$err"
page() { perl "$MU_SRC/tests/lib/page.pl" "$@"; }

# ---- figures --------------------------------------------------------------------------------

memusageprint --to=json -o who.json who.mur
sum() {
	perl -MJSON::PP -e '$/ = undef; my ($key) = @ARGV; my $s = 0;
		$s += $_->{$key} for @{decode_json(<STDIN>)->{sites}}; print "$s\n"' "$1" <who.json
}
while read -r metric key; do
	is "$(page who.html "sum:$metric")" "$(sum "$key")" "the sum of $metric is the recording's"
done <<'END'
peak_bytes peak_bytes
peak_blocks peak_blocks
end_bytes live_bytes
end_blocks live_blocks
total_bytes total_bytes
total_blocks total_blocks
temporary temporary_blocks
END
isnt "$(page who.html sum:total_bytes)" 0 'and not nothing'
is "$(page who.html totals.peak)" "$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{heap}{peak}' who.json)" \
	'the peak is'
like "$(page who.html run.command)" 'who$' 'it says what ran'

memusageprint --to=massif -o who.massif who.mur
is "$(page who.html count:snapshots)" "$(grep -c '^snapshot=' who.massif)" 'all snapshots are there'
number=$(page who.html count:snapshots)
sed -n 's/^mem_heap_B=//p' who.massif >heaps
# shellcheck disable=SC2046
page who.html $(seq -f at:%.0f 0 $((number - 1))) >sums
is "$(paste sums heaps | grep -v '^-' | awk '$1 != $2')" '' 'the places of one sum up to its heap'
num "$(grep -vc '^-' sums)" -ge 2 'of several'

# A program that meets new call stacks all the time, 59,049 in the end.
ok 'many stacks are recorded' memusage -q --html=grows.html "$WORKLOADS/manystacks" 5
is "$(memusage --html=said.html true 2>&1 | grep -c '^memusage: page written to said.html ')" 1 \
	'the report names the page'
is "$(memusage -q --html='said.%%.html' true 2>&1)" '' '... not with -q'
unlike "$(memusage --html=- true 2>&1 >/dev/null)" 'page written' '... nor if it is standard output'
number=$(page grows.html count:snapshots)
detailed=$(grep -oE '"kind":"(detailed|peak)"' grows.html | wc -l)
# shellcheck disable=SC2046
page grows.html $(seq -f at:%.0f 0 $((number - 1))) >sums
num "$detailed" -ge 3 'they have several detailed snapshots'
num "$(grep -vc '^-' sums)" -ge "$detailed" 'all of them have places'

# 531,441 stacks, of which none holds enough to be in the page: all are of one place.
ok 'too many stacks are recorded' memusage -q --html=small.html "$WORKLOADS/manystacks" 6
isnt "$(page small.html snapshot_share)" 0 'small values of snapshots are added up'
number=$(page small.html count:snapshots)
# shellcheck disable=SC2046
page small.html $(seq -f root:%.0f 0 $((number - 1))) >rooted
# shellcheck disable=SC2046
page small.html $(seq -f at:%.0f 0 $((number - 1))) >sums
num "$(grep -vc '^-' sums)" -ge 3 'they have places'
is "$(paste rooted sums | awk '$2 != "-" && $1 > $2 / 20')" '' 'which stay those of the memory'
num "$(wc -c <small.html)" -le 2000000 'not more than 2 MB'

# ---- names -----------------------------------------------------------------------------------

# What the text makes of a name is a table of the unit test.
perl -0777 -ne 'print "$1\t$2\n" while /^\t\{ "(.+)",\s+"(.+)" \},$/mg' \
	"$MU_SRC/tests/unit/shortname.c" >cases
num "$(wc -l <cases)" -ge 25 'there are names of functions'
is "$(cut -f1 cases | node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" short)" "$(cut -f2 cases)" \
	'the page shortens them as the text does'

# ---- lifetimes ------------------------------------------------------------------------------

# lived PAGE FROM: how many blocks lived for 2^(FROM - 1) ms and longer
lived() {
	grep -o '"lifetimes":\[[^]]*' "$1" | cut -d[ -f2 | tr , '\n' |
		awk -v from="$2" 'NR > from { n += $1 } END { print n + 0 }'
}
ok 'threads are recorded' memusage -q --html=threads.html "$WORKLOADS/threads" churn
for page in who grows threads; do
	page $page.html sum:total_blocks sum:end_blocks >blocks
	is "$(lived $page.html 0)" "$(awk 'NR == 1 { all = $1 } END { print all - $1 }' blocks)" \
		"$page: every block that is gone has a lifetime"
done
ok 'blocks that live long are recorded' memusage -q --html=long.html --record=long.mur perl -e \
	'my @a = map { "x" x 5000 } 1 .. 100; select(undef, undef, undef, 0.3); @a = ()'
num "$(lived long.html 9)" -ge 100 'they lived for 256 ms at least'
num "$(lived long.html 9)" -lt "$(lived long.html 0)" 'others did not'
memusagestat --html=again.html long.mur
is "$(lived again.html 0)" "$(lived long.html 0)" 'a kept recording says the same'

# ---- the file -------------------------------------------------------------------------------

num "$(wc -c <who.html)" -le 2000000 'not more than 2 MB'
is "$(stat -c %a who.html)" 600 'only its owner can read it'
nok 'nothing is fetched' grep -Eq '(src|href)=|@import|url\(' who.html
like "$(head -n 20 who.html)" "default-src 'none'; script-src 'sha256-[^']*'; style-src 'sha256-[^']*'; base-uri" \
	'a policy forbids the network and foreign scripts'
is "$(grep -o '<script' who.html | wc -l)" 2 'there are two script elements'

# ---- hostile names --------------------------------------------------------------------------

hostile=$(printf '</script><script>alert(1)</script><!--\342\200\250"\047\134\377&amp;\342\200\256')
ok 'a program with a hostile argument' memusage -q --record=evil.mur "$WORKLOADS/who" "$hostile"
ok 'its page' memusagestat --html=evil.html evil.mur
is "$(grep -o '<script' evil.html | wc -l)" 2 'it brings no element'
is "$(grep -o '</script' evil.html | wc -l)" 2 'and ends none'
nok 'no U+2028 as it is' grep -q "$(printf '\342\200\250')" evil.html
like "$(page evil.html run.command)" '</script><script>alert\(1\)</script><!--.*&amp;' 'the name is a text'

# ---- what is less than exact -----------------------------------------------------------------

# The page has every sentence that the text has; and the same parts of the memory.
run memusage --html=broken.html --record=broken.mur "$WORKLOADS/broken_stacks"
printf '%s\n' "$err" | sed -n 's/^memusage: \(call stacks .*\)/\1/p' >said
count=$(page broken.html count:notes)
# shellcheck disable=SC2046
page broken.html $(seq -f notes.%.0f 0 $((count - 1))) >notes
num "$(wc -l <said)" -ge 2 'the text says which stacks are not whole'
is "$(grep -vxFf notes said)" '' 'and the page says the same'
unlike "$(page who.html notes.0)" . 'a page without such stacks does not'
memusageprint --to=json -o broken.json broken.mur
# A part without bytes is left out.
memory_part() {
	case $1 in
	resident) page broken.html memory.resident ;;
	*) grep -o "\"part\":\"$1\",\"bytes\":[0-9]*" broken.html | awk -F: '{ n = $3 } END { print n + 0 }' ;;
	esac
}
for part in resident heap spare stacks file recorder; do
	is "$(memory_part $part)" "$(perl -MJSON::PP -0777 -e \
		'print decode_json(<STDIN>)->{memory}{$ARGV[0]}' $part <broken.json)" "its $part is the recording's"
done

# ---- several processes ----------------------------------------------------------------------

# The page is about the process that held most, and has the next ones to choose from.
run memusage -q --record=tree.mur --html=tree.html sh -c '"$0/manystacks" 4; "$0/manystacks" 5' "$WORKLOADS"
is "$status" 0 'a shell with two programs'
page tree.html run.command count:others count:processes others.0.run.pid others.0.totals.peak >values
{ read -r command && read -r others && read -r processes && read -r pid && read -r peak; } <values
like "$command" 'manystacks 5$' 'the page is about the larger one'
num "$others" -ge 1 'another one is in the page'
ok 'that one has a page of its own' memusagestat --pid="$pid" --html=other.html tree.mur
is "$peak" "$(page other.html totals.peak)" 'with the same peak'
is "$(page other.html count:others)" 0 'which is of nothing else'
num "$processes" -ge 3 'all processes are listed'

# ---- in one go, and of other files -------------------------------------------------------------

ok 'memusage --html' memusage -q --html=one.%p.html "$WORKLOADS/who"
one=$(ls one.*.html)
is "one.$(page "$one" run.pid).html" "$one" 'its page is of the program, and named so'
is "$(page "$one" sum:total_bytes)" "$(page who.html sum:total_bytes)" 'and holds the same'
num "$(page "$one" count:samples.t)" -ge 1 'what the kernel saw is in it'
run memusage --html=no/such.html "$WORKLOADS/who"
is "$status" 125 'a page that cannot be written is refused before the run'
is "$out" '' 'the program has not run'

ok 'of a massif.out' memusagestat --html=m.html "$MU_SRC/tests/golden/massif/sites-all.out"
is "$(page m.html kind) $(page m.html count:snapshots)" \
	"massif $(grep -c '^snapshot=' "$MU_SRC/tests/golden/massif/sites-all.out")" 'with its snapshots'
peak=$(awk -F= '/^mem_heap_B/ { b = $2 } /^heap_tree=peak/ { print b }' \
	"$MU_SRC/tests/golden/massif/sites-all.out")
is "$(page m.html sum:peak_bytes)" "$peak" 'the places of its peak sum up to it'

cat >d.json <<'END'
{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs","Mtu":"Minstr",
"tuth":500,"cmd":"./x","pid":7,"te":1000,"tg":500,"pps":[
{"tb":100,"tbk":4,"tl":80,"mb":50,"mbk":2,"gb":50,"gbk":2,"eb":25,"ebk":1,"rb":7,"wb":9,
"acc":[-20,3,0,1,2,0,9],"fs":[1,2]},
{"tb":60,"tbk":1,"tl":9,"mb":60,"mbk":1,"gb":60,"gbk":1,"eb":0,"ebk":0,"rb":1,"wb":1,"fs":[3,2]}],
"ftbl":["[root]","0x1: f (a.c:1)","0x2: main (a.c:9)","0x3: g (in /lib/g.so)"]}
END
ok 'of a profile of DHAT' memusagestat --html=d.html d.json
is "$(page d.html kind sum:total_bytes sum:peak_bytes sum:read_bytes | tr '\n' ' ')" 'dhat 160 110 8 ' 'its sums'
is "$(page d.html place:g:total_bytes place:f:end_bytes | tr '\n' ' ')" '60 25 ' 'and places'
is "$(page d.html access.0.counts.0 count:access.0.counts | tr '\n' ' ')" '-20 7 ' 'and accesses'

ok 'a data file is recorded' memusage -q -d w.dat "$WORKLOADS/who"
ok 'of a data file' memusagestat --html=w.html w.dat
events=$(($(wc -c <w.dat) / 24 - 2))
is "$(page w.html kind totals.calls | tr '\n' ' ')" "dat $events " 'with all its calls'
num "$(page w.html count:samples.heap)" -ge 2 'and a curve'
memusagestat --html=- w.dat >direct.html
memusagestat --html=piped.html - <w.dat
sed 's/"file":"[^"]*"//' direct.html >direct
sed 's/"file":"[^"]*"//' piped.html >piped
same direct piped 'from standard input, and to standard output'
cat w.dat | memusagestat --html=piped.html -
sed 's/"file":"[^"]*"//' piped.html >piped
same direct piped 'from a pipe'
run memusagestat --html=x.html "$MU_SRC/README.md"
is "$status" 1 'what is none of these is refused'

# ---- in a browser: tests/real/page.t looks closer ------------------------------------------------

if command -v chromium >/dev/null; then
	# Its profile is in the test's own folder; the fonts' cache need not be there.
	HOME=$MU_TMP timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$MU_TMP/chrome" \
		--dump-dom "file://$MU_TMP/evil.html" >dom 2>/dev/null
	like "$(head -c 300 dom)" 'data-ready="[0-9]+"' 'the page draws itself'
	like "$(cat dom)" 'Who held the peak' 'and says who held the peak'
	like "$(cat dom)" '&lt;/script&gt;&lt;script&gt;alert\(1\)' 'a hostile name is a text'
else
	skip 'no chromium here' 3
fi

# ---- what is refused ------------------------------------------------------------------------

run memusagestat --html=x.html who.mur out.png
is "$status" 2 'a page and a picture at once are refused'
run memusagestat --html=x.html --pid=1 who.mur
is "$status" 1 'a process that is not there'
like "$err" 'holds no process 1' 'and it says so'
nok 'no page is left' test -e x.html
run memusagestat --html=/dev/full who.mur
is "$status" 1 'a full disk is noticed'
done_testing
