#!/bin/sh
# who.t -- reports name who allocated, with exact bytes, blocks, functions and lines; and the same
# from a kept recording.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint who
need_libdw
who=$WORKLOADS/who

# truth METRIC: what the workload says, as FUNCTION LINE BYTES BLOCKS
truth() {
	sed -n "s/^$1 //p" truth
}

# place FILE FUNCTION LINE: "BYTES BLOCKS" of the place, as the list in FILE has it
place() {
	sed -n "s/^ *\([0-9][0-9]*\) B  *[0-9.]*%  *\([0-9]*\)  $2 (who.c:$3)\$/\1 \2/p" "$1" |
		head -n 1
}

# ---- each report against the workload ------------------------------------------------------

ok '--top runs' memusage -q -o top --record=who.mur --top "$who"
memusage -q -o leaks --leaks "$who" >truth
memusage -q -o temporary --temporary "$who" >truth
memusage -q -o tree --tree "$who" >truth
num "$(wc -l <truth)" -ge 5 'the workload tells the truth'

truth peak >peak.truth
while read -r function line bytes blocks; do
	is "$(place top "$function" "$line")" "$bytes $blocks" "--top: $function"
	like "$(cat tree)" "^ *$bytes B .* $function \(who.c:$line\)" "--tree: $function"
done <peak.truth
truth leak >leak.truth
while read -r function line bytes blocks; do
	is "$(place leaks "$function" "$line")" "$bytes $blocks" "--leaks: $function"
done <leak.truth
like "$(cat leaks)" "called by keep_some \(who.c:$(truth caller | cut -d' ' -f2)\), main" \
	'--leaks: the callers of a wrapper'
truth temporary >temporary.truth
while read -r function line bytes blocks; do
	like "$(cat temporary)" "^ *$blocks  *[0-9.]*% *$bytes B  $function \(who.c:$line\)" \
		"--temporary: $function"
done <temporary.truth
unlike "$(cat temporary)" 'lose' '--temporary: nothing that stays'

# ---- the recording -------------------------------------------------------------------------

# Another pid cannot show: the lists hold none. Resident memory is never twice the same.
for report in top leaks temporary tree; do
	memusageprint "--$report" who.mur 2>complaint | sed '/of memory at most/,$d' >again
	sed -i '/of memory at most/,$d' "$report"
	same again "$report" "--$report of the recording is what memusage printed"
	same complaint /dev/null '... without a word beside it'
done
run memusageprint who.mur
is "$status" 0 'without an option: status 0'
sed -i '/of memory at most/,$d' .out
same .out top '... and --top is printed'
run memusageprint --summary who.mur
like "$out" 'heap total: [1-9][0-9]*, heap peak: 720,' '--summary has the peak'
run memusageprint --top=1 who.mur
like "$out" ' hold \(who.c:' '--top=1 shows the first'
unlike "$out" '^ .* B .*  lose \(who.c:' '... and not the second'
run memusageprint --tree=total who.mur
like "$out" '112 B|703 B|600 B .*hold' '--tree=total counts what was freed'
run memusageprint --tree=end who.mur
like "$out" '^131 B in 5 blocks' '--tree=end has what is left'
# Hundreds of snapshots in a millisecond: each has its tree.
memusage -q --time-unit=B --record=ramp.mur "$WORKLOADS/massif_ramp"
is "$(seq 0 80 | while read -r number; do
	memusageprint --tree="$number" ramp.mur 2>&1 >/dev/null
done)" '' 'every snapshot has a tree'
run memusageprint --tree=100000 who.mur
is "$status" 1 'a snapshot that is not there: status 1'
like "$err" 'has no snapshot 100000: its snapshots are 0 to [0-9]+$' '... and is named'
is "$out" '' '... and nothing is printed'
run memusageprint --pid=1 who.mur
is "$status" 1 'a process that is not there: status 1'
like "$err" 'holds no process 1, but [0-9]+ \(who\)$' '... and is named'
run memusageprint --alloc-fn=allocate --leaks who.mur
like "$out" 'keep_some \(who.c:' '--alloc-fn shows the caller instead'
run memusageprint --ignore-fn=lose --leaks who.mur
unlike "$out" 'lose' '--ignore-fn leaves out'
memusage -q --time-unit=B --massif-out-file=ignored --ignore-fn=lose "$who" >/dev/null
is "$(sed -n 's/^mem_heap_B=//p' ignored | sort -n | tail -n 1)" 600 '... of a profile too'

# ---- conversions ---------------------------------------------------------------------------

run memusageprint --to=folded who.mur
like "$out" '^main;hold 600$' '--to=folded: bytes at the peak'
like "$out" '^main;lose 120$' '... of every place'
run memusageprint --to=folded --tree=end who.mur
like "$out" '^main;keep_some;allocate 11$' '--to=folded --tree=end'
run memusageprint --to=massif -o who.massif who.mur
is "$status" 0 '--to=massif -o'
like "$(cat who.massif)" '^ n1: 600 0x[0-9A-F]*: hold \(([^ ]*/)?who.c:' '... has the peak in a tree'
run memusageprint --to=json who.mur
like "$out" '"peak":720' '--to=json: the peak'
if command -v python3 >/dev/null; then
	ok '... is JSON' python3 -c 'import json,sys; json.load(open(sys.argv[1]))' .out
else
	skip 'no python3 here'
fi
run memusageprint --to=callgrind who.mur
like "$out" '^events: ' '--to=callgrind'
if command -v gunzip >/dev/null; then
	memusageprint --to=pprof -o who.pb.gz who.mur
	like "$(gunzip <who.pb.gz | tr -c '[:print:]' '\n')" '^hold' '--to=pprof has the functions'
else
	skip 'no gunzip here'
fi
run memusageprint --to=nonsense who.mur
is "$status" 2 'an unknown format: status 2'

# ---- several outputs of one run, several processes -----------------------------------------

ok 'everything at once' memusage -o all --top --tree --leaks --temporary --time-unit=B \
	--massif-out-file=all.massif --record=all.mur "$who"
for text in 'who: heap total: [1-9]' 'hold \(who.c' 'allocated by, called by' 'temporary '; do
	like "$(cat all)" "$text" "... has '$text'"
done
like "$(cat all.massif)" '^heap_tree=peak' '... and the profile'
ok '... and the recording' test -s all.mur

# ---- the answer comes first ------------------------------------------------------------------

for report in --top --tree --leaks --temporary; do
	run memusage -o first $report "$who"
	like "$(sed -n '2p' first)" '[0-9]%' "$report: the answer is the first line"
	unlike "$(cat first)" 'Histogram|^ malloc\|' '... without the table and the histogram'
	is "$(grep -c '^memusage: process [0-9]* who: heap total: [1-9]' first)" 1 '... a line has the totals'
	like "$(sed -n '/^memusage: /{p;q;}' first)" 'who: heap total' '... behind the answer'
done
run memusage -o first --spacetime "$who"
like "$(cat first)" 'Histogram' 'a report for which no place was asked begins with the summary'
run memusage -o first --top --progname=nothing "$who"
like "$(cat first)" '^memusage: ' '--top without a recording says why'

# shellcheck disable=SC2016  # for the inner shell
memusage -q --massif-out-file='p.%p' --trace-children=yes sh -c '"$1"; "$1"; :' sh "$who" \
	>/dev/null
# shellcheck disable=SC2012  # names are p.NUMBER
is "$(ls p.* | wc -l)" 3 'a profile for each process with --trace-children=yes'
# shellcheck disable=SC2016
memusage -q --massif-out-file='q.%p' sh -c '"$1"; :' sh "$who" >/dev/null
# shellcheck disable=SC2012
is "$(ls q.* | wc -l)" 1 'and of the started one only without'
# shellcheck disable=SC2016
memusage -q --massif-out-file=r sh -c '"$1"; "$1"; :' sh "$who" >/dev/null
ok 'a name without %p is that of the started program' test -s r
VALUE=a-b memusage -q --massif-out-file='v.%q{VALUE}.%%' "$who" >/dev/null
ok '%q{VAR} and %% in a name' test -s v.a-b.%

# ---- how it is done ------------------------------------------------------------------------

if command -v readelf >/dev/null; then
	unlike "$(readelf -d "$MU_BUILD/bin/memusage")" 'NEEDED.*lib(dw|elf|z)\.' \
		'memusage itself reads no debug information'
else
	skip 'no readelf here'
fi
# A key stops a search for names that takes long.
mkdir -p slow/bin slow/lib
cp "$MU_BUILD/bin/memusage" slow/bin
cp -r "$MU_BUILD/lib/memusage" slow/lib
printf '#!/bin/sh\nexec sleep 60\n' >slow/bin/memusageprint
chmod +x slow/bin/memusageprint
run timeout 1 slow/bin/memusage -q --top true
is "$status" 124 'a signal ends memusage while names are looked up'
# The profile of a run that memusage was killed in is written all the same.
mkfifo hold
memusage -q --massif-out-file=late sh -c 'echo >begun; read -r _' <hold &
launcher=$!
exec 3>hold
until_true test -s begun
kill -9 $launcher
wait $launcher 2>/dev/null
exec 3>&-
ok 'a profile is written after memusage was killed' until_true test -s late

# ---- options of Massif and Valgrind --------------------------------------------------------

# refused OPTION WHY
refused() {
	run memusage "$1" true
	is "$status" 125 "$1: refused"
	like "$err" "$2" '... with the reason'
}
refused --depth=0 '1 to 200'
refused --depth=201 '1 to 200'
refused --heap-admin=1025 '0 to 1024'
refused --threshold=100.5 '0 to 100'
refused --threshold=abc 'not a number'
refused --detailed-freq=0 '1 to 1000000'
refused --max-snapshots=9 '10 to 1000'
refused --alignment=48 'power of 2'
refused --heap=maybe "'yes' or 'no'"
refused --time-unit=s "for Massif 'ms', 'B' or 'i'"
refused --stacks=maybe "'yes' or 'no'"
refused --pages-as-heap=maybe "'yes' or 'no'"
refused --tool=memcheck 'memusage replaces the tools'
refused --xtree-memory=some 'none'
refused --run-libc-freeres=yes 'crash'
for option in --tool=massif --num-callers=40 --run-libc-freeres=no --stacks=no -v --stats=yes \
	--soname-synonyms=somalloc=x --xtree-memory=none --show-emwarns=no --max-threads=500 \
	--vgdb-poll=5000 --redzone-size=16 --error-exitcode=0 --time-stamp=no --track-fds=no; do
	run memusage -q --massif-out-file=core "$option" true
	is "$status" 0 "$option is accepted"
done
run memusage --log-file=log true
like "$(cat log)" 'Memory usage summary' '--log-file takes the report'
WHO=me run memusage --log-file='log.%q{WHO}.%%.%p' true
like "$(cat log.me.%.[0-9]*)" 'Memory usage summary' '... a variable, percent and a number in its name'
run memusage --log-file='log.%q{NOT_SET_HERE}' true
is "$status" 125 '... a variable that is not set is an error'

done_testing
