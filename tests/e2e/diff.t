#!/bin/sh
# diff.t -- memusageprint --diff names the change between two builds: by other compilers, at other
# levels, with moved lines, with functions renamed, split and inlined; sums always agree.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need_libdw
need gcc

source=$MU_SRC/tests/workloads/compared.c
[ -r "$source" ] || skip_all "no $source"

# build NAME COMPILER SOURCE [OPTION]...: a program and its recording, NAME.mur
build() {
	program=$1 compiler=$2 from=$3
	shift 3
	"$compiler" -o "$program" "$@" "$from" || return 1
	memusage -q --record="$program.mur" "./$program"
}
# diff [OPTION]... OLD NEW
diff_of() { run memusageprint --diff "$@"; }
# The first line of the report, below the names of the files.
answer() { printf '%s\n' "$out" | sed -n '/^new /{n;n;p;q;}'; }
# The percentage that was matched.
matched() { printf '%s\n' "$out" | sed -n 's/^\([0-9]*\)\.[0-9]%.* at places that both have.*/\1/p'; }

grew='^make_index .*grew by 244 KiB, from 195 KiB to 439 KiB, live when the heap was largest'
all='^In all 977 KiB became 1\.19 MiB: \+244 KiB'

# ---- the same source, built in another way -------------------------------------------------------

compilers=gcc
command -v clang >clang.path && compilers='gcc clang'
for compiler in $compilers; do
	for level in 0 2; do
		build "$compiler$level" "$compiler" "$source" -g "-O$level" ||
			fail "$compiler -O$level"
		build "$compiler$level.more" "$compiler" "$source" -g "-O$level" -DINDEX_SIZE=900
	done
done
for new in gcc2 ${compilers#gcc}; do
	case $new in clang) new=clang2 ;; esac
	diff_of gcc0.mur "$new.mur"
	is "$status" 0 "gcc -O0 and $new"
	is "$(answer)" 'nothing changed' '... have the same places'
	is "$(matched)" 100 '... all of them matched'
	diff_of gcc0.mur "$new.more.mur"
	like "$(answer)" "$grew" '... and a change is the first line'
	like "$out" "$all" '... with the sum'
	is "$(matched)" 100 '... and all is matched'
	unlike "$out" 'shrunk by' '... nothing shrank'
done

# ---- an edited source ------------------------------------------------------------------------------

# edit NAME SED...: its build, at -O0, and its build with more memory
edit() {
	name=$1
	shift
	sed "$@" "$source" >"$name.c"
	cmp -s "$name.c" "$source" && fail "$name: nothing was edited"
	build "$name" gcc "$name.c" -g -O0 || fail "$name does not build"
	build "$name.more" gcc "$name.c" -g -O0 -DINDEX_SIZE=900
	diff_of gcc0.mur "$name.mur"
	only=$(answer) share=$(matched)
	num "$share" -ge 99 "$name: 99 % of the bytes are matched"
	diff_of gcc0.mur "$name.more.mur"
	like "$(answer)" "$grew" '... and a change of memory is the first line'
	like "$out" "$all" '... with the sum'
}
edit lines "1i\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
\\
"
num "$(($(wc -l <lines.c) - $(wc -l <"$source")))" -eq 20 '... with 20 lines at the top'
is "$only" 'nothing changed' '... lines do not matter'
edit renamed 's/read_line/fetch/'
is "$only" 'nothing changed but a name: fetch was called read_line' '... a name alone is said'
edit split '/^static void read_line/i\
static __attribute__((noinline)) void finish_line(const char *text)\
{\
	keep(copy_text(text, 1000));\
}\

s/keep(copy_text(text, 1000));$/finish_line(text);/
/^static .*finish_line/,/^}/s/finish_line(text);/keep(copy_text(text, 1000));/'
like "$only" '^nothing changed, though [0-9.]+% of it was inlined or split$' '... as split'
edit inlined 's/^static void read_line/static inline __attribute__((always_inline)) void read_line/'
is "$only" 'nothing changed' '... debug information names inlined calls'

# Without debug information an inlined function is gone.
build bare gcc "$source" -O0
build bare.inlined gcc inlined.c -O0 -DINDEX_SIZE=900
diff_of bare.mur bare.inlined.mur
like "$(answer)" '^make_index .*grew by 244 KiB' 'inlined, and no names: the change is found'
num "$(matched)" -ge 99 '... and the rest is matched'
like "$out" '% inlined or split' '... which is said'

# ---- a place that is new, one that is gone -----------------------------------------------------

sed '/^int main/i\
static void more(void)\
{\
	for (int i = 0; i < 10; i++)\
		keep(malloc(70000));\
}\

s/^	fill_cache();/	more();/' "$source" >new.c
build new gcc new.c -g -O0 2>warnings || cat warnings
diff_of gcc0.mur new.mur
like "$(answer)" '^more \(new\.c:[0-9]+\) is new: 684 KiB, live when' 'a new function is new'
like "$out" 'shrunk by' '... and what is gone'
like "$out" '^ *-293 KiB +781 KiB +488 KiB  copy_text ' '... is listed'
like "$out" 'called by fill_cache ' '... with its callers'
sum=$(printf '%s\n' "$out" | awk '$2 == "KiB" && $1 ~ /^[-+]/ { s += $1 } END { printf "%d", s }')
num "$sum" -ge 290 'changes add up ...'
num "$sum" -le 295 '... to the change in all'
like "$out" '^In all 977 KiB became 1\.24 MiB: \+293 KiB' '... that is printed'

diff_of --tree gcc0.mur gcc2.more.mur
like "$(answer)" "$grew" '--tree begins with the place, too'
tree() { printf '%s\n' "$out" | sed -n '/allocated by/,/^$/p'; }
is "$(tree | sed -n 2p)" '   +244 KiB     195 KiB     439 KiB  make_index (compared.c:52)' '... the place'
is "$(tree | sed -n 3p)" '   +122 KiB    97.7 KiB     220 KiB  |- main (compared.c)' '... its callers'
is "$(tree | sed -n 4p)" '   +122 KiB    97.7 KiB     220 KiB  `- fill_cache (compared.c)' '... each'
is "$(tree | sed -n 5p)" '                                        main (compared.c)' '... and theirs'
like "$(tree)" '^ +0 B +781 KiB +781 KiB  all other places$' '... what did not change is one line'
diff_of --tree gcc0.mur new.mur
like "$(tree)" '^ +-293 KiB +781 KiB +488 KiB  copy_text ' '... what shrank'
like "$(tree)" '^ +-293 KiB +293 KiB +0 B  `- fill_cache ' '... below its caller'
diff_of --tree=end --threshold=50 gcc0.mur new.mur
like "$out" 'is new: 684 KiB, live at the end' '... at the end'
unlike "$(tree)" 'make_index' '... above a threshold'
like "$(tree)" '^ +-391 KiB +977 KiB +586 KiB  all other places$' '... the sums agree'
diff_of --tree=total gcc0.mur gcc2.more.mur
like "$(answer)" '^make_index .*grew by 244 KiB.*, allocated in all$' '... of all allocations'

# ---- other metrics, other groups, other files ----------------------------------------------------

diff_of --leaks --top --group=file gcc0.mur gcc2.more.mur
like "$out" '^.*compared\.c grew by 244 KiB.*, live at the end' '--leaks, by file'
diff_of --temporary gcc0.mur gcc2.more.mur
like "$out" '^there were no temporary blocks in either$' '--temporary'
diff_of --grep=read_all gcc0.mur gcc2.more.mur
is "$(answer)" 'nothing changed' '--grep shows some places'
like "$out" '^In all 488 KiB ' '... and their sums'
diff_of --grep=none gcc0.mur gcc2.more.mur
like "$out" 'nothing matches --grep=none' '... or none'

# Without --detailed-freq the number of snapshots, so the clock, decides whether the last has a tree.
memusage -q --massif --detailed-freq=1 --massif-out-file=old.ms ./gcc0
memusage -q --massif --detailed-freq=1000 --massif-out-file=bare.ms ./gcc0
memusage -q --dhat --dhat-out-file=new.json ./gcc2.more
diff_of old.ms new.json
like "$(answer)" '^make_index .*grew by ' 'a massif.out and a profile of DHAT'
num "$(matched)" -ge 99 '... are matched, too'
diff_of gcc0.mur new.json
like "$(answer)" "$grew" 'a recording and a profile of DHAT'
diff_of old.ms gcc0.mur
num "$(matched)" -ge 99 'a massif.out and a recording'
memusageprint --to=pprof -o old.pb.gz gcc0.mur
memusageprint --to=pprof gcc2.more.mur | gunzip >new.pb
diff_of old.pb.gz new.pb
like "$(answer)" "$grew" 'profiles of pprof'
is "$(matched)" 100 '... are matched'
diff_of old.ms new.pb
num "$(matched)" -ge 99 '... also with a massif.out'
diff_of --tree=end gcc0.mur new.pb
is "$(matched)" 100 '... and a recording'
run memusageprint old.pb.gz
is "$status" 1 'other reports do not suit it'
like "$err" 'old\.pb\.gz: this is a profile of pprof: memusageprint --diff compares it' '... which is said'
head -c 200 new.pb >cut.pb
diff_of cut.pb new.pb
is "$status" 1 'a profile that was cut'
like "$err" 'cut\.pb: is (a damaged|no heap) profile of pprof' '... is refused'
diff_of --temporary old.ms gcc0.mur
is "$status" 1 'what a file does not tell'
like "$err" 'old\.ms: this is a massif\.out, .*; it tells of the peak \(--top\), the end \(--leaks\)$' \
	'... is refused, with what it tells'
diff_of --leaks bare.ms gcc0.mur
is "$status" 1 '... one without trees'
like "$err" 'bare\.ms: this is a massif\.out, which does not tell this figure$' \
	'... is refused, too'
cat >nothing.ms <<'EOF'
desc: --massif-out-file=nothing.ms
cmd: ./nothing
time_unit: ms
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=0
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=empty
EOF
for report in --top --leaks --tree; do
	diff_of "$report" nothing.ms gcc0.mur
	is "$status" 0 "$report: a massif.out of a program that allocates nothing"
	like "$out" 'In all 0 B became [0-9.]+ KiB' '... has nothing, and the other file all'
done
diff_of nothing.ms nothing.ms
is "$(answer)" 'nothing changed' '... as it is itself'

# ---- formats of other programs -------------------------------------------------------------------

diff_of --to=folded gcc0.mur new.mur
like "$out" '^main;fill_cache;copy_text 300000 0$' '--to=folded: what is gone'
like "$out" '^main;more 0 700000$' '... what is new'
like "$out" '^main;read_all;read_line;copy_text 500000 500000$' '... what stayed'
diff_of --to=folded --tree=end gcc0.mur gcc2.more.mur
like "$out" '^main;make_index 100000 225000$' '... of the moment of --tree'
# field of jq, of the comparison
json() { printf '%s\n' "$out" | jq -r "$1"; }
if command -v jq >jq.path; then
	diff_of --to=json gcc0.mur new.mur
	is "$(json '.format + " " + (.version | tostring)')" 'memusage-diff 1' '--to=json: its name'
	is "$(json '.metrics[] | "\(.metric) \(.old_bytes) \(.new_bytes)"' | head -1)" \
		'peak 1000000 1300000' '... the sums'
	is "$(json '[.stacks[].peak | .[2] - .[0]] | add')" 300000 '... are those of the stacks'
	is "$(json '[.stacks[].peak | .[3] - .[1]] | add')" -340 '... in blocks, too'
	is "$(json '.locations as $l | .stacks[] | select(.match == "new") |
		$l[.stack[0]].levels[0].function')" more '... what is new'
	is "$(json '[.locations as $l | .stacks[] | select(.match == "old") |
		$l[.stack[0]].levels[0].function] | sort | join(" ")')" 'copy_text make_index' \
		'... what is old'
	is "$(json '.old.file')" gcc0.mur '... the files'
	diff_of --to=json gcc0.mur renamed.mur
	is "$(json '.renamed[] | .old + " " + .new')" 'read_line fetch' '... names'
	is "$(json '.metrics[0].matched + 0')" 1 '... and what was matched'
	diff_of --to=json old.ms gcc0.mur
	like "$(json '.metrics[].metric' | tr '\n' ' ')" '^peak end $' '... what both files tell'
	is "$(json '.stacks[0].peak[1]')" null '... blocks are not known'
else
	skip 'no jq' 11
fi
run memusageprint --diff --to=pprof -o diff.pb.gz gcc0.mur new.mur
is "$status" 0 '--to=pprof'
if command -v python3 >python3.path; then
	python3 "$MU_SRC/tests/lib/pprof.py" diff.pb.gz >pprof.txt
	is "$?" 0 '... is well formed'
else
	skip 'no python3' 1
fi
if command -v go >go.path; then
	go tool pprof -top diff.pb.gz >top.txt 2>&1
	like "$(cat top.txt)" '^ *683\.59kB 70\.00%.* more$' '... pprof shows what grew, of the old sum'
	like "$(cat top.txt)" '^ *-292\.97kB 30\.00%.* copy_text$' '... and what shrank'
else
	skip 'no go' 2
fi
diff_of --to=massif gcc0.mur new.mur
is "$status" 2 'a format without room for two files'
like "$err" '--to=massif has no room for a comparison: json, folded and pprof have' '... is refused'

# ---- pictures ----------------------------------------------------------------------------------

if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	run memusagestat --flame --diff gcc0.mur new.mur diff.svg
	is "$status" 0 'a flame graph of two files'
	box() { tr -d '\n' <diff.svg | sed 's/<rect/\n&/g' | grep "<title>$1"; }
	like "$(box more)" 'more \(new\.c:[0-9]*\): \+684 KiB \(0 B to 684 KiB\)' '... what is new'
	like "$(box more)" 'fill="#e87a0e"' '... is orange'
	like "$(box fill_cache)" 'fill="#2f6fbf".*-391 KiB \(391 KiB to 0 B\)' '... what is gone is blue'
	like "$(box read_all)" 'fill="#dde1e6".*\+0 B \(488 KiB to 488 KiB\)' '... the rest is grey'
	run memusagestat --flame --diff old.ms new.json other.svg
	is "$status" 0 '... of files of other kinds'
	like "$(cat other.svg)" 'old.ms to new.json' '... named in the title'
	ok '... and of pprof' memusagestat --flame --diff old.pb.gz new.pb pprof.svg
	run memusagestat --diff gcc0.mur new.mur none.png
	is "$status" 2 '--diff alone is no picture'
	run memusagestat --flame --diff gcc0.mur
	is "$status" 2 'nor has one file a difference'
	run memusagestat --flame --diff gcc0.mur new.mur new.mur
	is "$status" 1 'an input is not overwritten'
	like "$err" 'new\.mur' '... which is said'
	run memusagestat --flame --html=both.html --diff gcc0.mur new.mur
	is "$status" 2 'a page and a picture at once are refused'
else
	skip 'no memusagestat' 14
fi

# ---- the page --------------------------------------------------------------------------------------

page() { run perl "$MU_SRC/tests/lib/page.pl" "$@"; }
page_sums() { page "$1" sum:old_peak_bytes sum:new_peak_bytes sum:new_end_bytes; }
if has_page "$MU_BUILD"; then
	ok 'a page of two files' memusagestat --html=diff.html --diff gcc0.mur new.mur
	page diff.html kind diff.old.file diff.new.file diff.metrics.0.metric diff.metrics.0.matched
	matched=$(memusageprint --diff --to=json gcc0.mur new.mur |
		sed -n 's/.*"metric":"peak".*"matched":\([0-9.]*\),.*/\1/p' | awk '{ print $1 + 0 }')
	is "$out" "$(printf '%s\n' diff gcc0.mur new.mur peak "$matched")" \
		'... names both, and the share that was matched'
	page_sums diff.html
	is "$out" "$(printf '%s\n' 1000000 1300000 1300000)" '... has the sums of both'
	page diff.html place:more:old_peak_bytes place:more:new_peak_bytes place:copy_text:old_peak_bytes
	is "$out" "$(printf '%s\n' 0 700000 800000)" '... at their places'
	page diff.html count:diff.old.t count:diff.new.heap diff.old.unit
	num "$(printf '%s\n' "$out" | sed -n 1p)" -gt 10 '... and the course of both'
	num "$(printf '%s\n' "$out" | sed -n 2p)" -gt 10 '... heaps'
	ok '... of other files' memusagestat --html=other.html --diff old.ms new.json
	page other.html kind diff.old.unit diff.metrics.0.metric
	like "$out" '^diff$' '... too'
	if command -v node >node.path; then
		lists() { node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" "$@" >list 2>&1; }
		lists diff.html changes-peak function
		is "$(head -n 1 list)" '700000 0 700000 more' '... what grew most is first'
		is "$(tail -n 1 list)" '-300000 800000 500000 copy_text' '... what shrank is last'
	else
		skip 'no node' 2
	fi
else
	skip 'this build has no HTML page' 10
fi

# ---- estimates -----------------------------------------------------------------------------------

memusage -q --sample=16K --record=sampled.mur ./gcc0
memusage -q --sample=16K --record=sampled2.mur ./gcc2.more
diff_of sampled.mur sampled2.mur
like "$out" 'estimates: about one block in 16\.0 KiB was sampled' 'estimates say so'
like "$out" '\+- ' '... and have bounds'
if command -v jq >jq.path; then
	diff_of --to=json sampled.mur sampled2.mur
	num "$(json '[.stacks[] | .peak_change_95 | select(.[0] <= .[1])] | length')" -ge 1 \
		'... JSON has the intervals'
fi
# A bound of 95 % is exceeded now and then.
for _ in 1 2 3 4 5; do
	memusage -q --sample=16K --record=sampled3.mur ./gcc0
	diff_of sampled.mur sampled3.mur
	! printf '%s\n' "$out" | grep -q 'changed by .* than the error' || break
done
like "$out" '^nothing changed by more than the error|changed by less than the error' \
	'... and what is within them is said'

if has_page "$MU_BUILD" && command -v node >node.path; then
	for i in 4 5; do
		memusage -q --sample=16K --record="sampled$i.mur" ./gcc0
	done
	memusagestat --html=sampled.html --diff sampled.mur sampled3.mur
	memusagestat --html=sampled3.html --diff sampled4.mur sampled5.mur
	for page in sampled sampled3; do
		node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" "$page.html" changes-peak function
	done >list
	# A place of two runs of one program differs by more than its bounds in one of 20.
	num "$(grep -c within list)" -ge 1 'estimates: the page marks what may be chance'
	memusagestat --html=none.html --diff gcc0.mur new.mur
	node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" none.html changes-peak function >list
	is "$(grep -c within list)" 0 '... and nothing of exact files'
	memusagestat --html=sampled2.html --diff sampled.mur sampled2.mur
	run perl "$MU_SRC/tests/lib/page.pl" sampled2.html diff.distance diff.unseen
	like "$out" '^16384$' '... with the distance of samples'
else
	skip 'no page or node' 3
fi

# ---- mistakes --------------------------------------------------------------------------------------

diff_of gcc0.mur
is "$status" 2 'one file'
like "$err" 'compares two files, the old and the new one; 1 is given' '... is too little'
diff_of --pid=3 gcc0.mur gcc2.mur
is "$status" 2 '--pid is refused'
diff_of gcc0.mur "$source"
is "$status" 1 'a text'
like "$err" 'compared\.c: this is a file of an unknown kind' '... is no profile'
is "$out" '' '... and nothing is printed'
diff_of --summary gcc0.mur gcc2.mur
is "$status" 2 'another report'
like "$err" '--diff is a report of places' '... is refused'
run memusageprint --diff -o gcc0.mur gcc0.mur gcc2.mur
is "$status" 1 'an input as output'
done_testing
