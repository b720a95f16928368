#!/bin/sh
# pages.t -- --pages-as-heap=yes: every function has the pages that it mapped and nobody unmapped,
# libc's own mappings included, and in the end the sum is what the kernel says.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint pages
need_recorder
need_libdw

# profile NAME COMMAND...: leaves NAME.mur, truth, report
profile() {
	name=$1
	shift
	rm -f "$name.mur"
	timeout 120 memusage --pages-as-heap=yes --record="$name.mur" "$@" >truth 2>report
	is $? 0 "$name: the program ends as it should" || sed 's/^/# /' report
	ok "$name: something was recorded" [ -s "$name.mur" ]
}

# folded FILE [OPTION...]: what is left at the end
folded() {
	memusageprint --tree=end --to=folded "$@" >stacks 2>/dev/null
}

# left FUNCTION: bytes that are left of its calls
left() {
	awk -v name=";$1;" 'index(";" $0, name) { sum += $NF } END { printf "%.0f", sum }' stacks
}

truths() {
	folded "$name.mur"
	while read -r word function bytes; do
		[ "$word" = live ] && is "$(left "$function")" "$bytes" "$name: $function has $bytes"
	done <truth
}

for how in plain over failing huge threads stacks signals arenas many syscalls fork; do
	profile "$how" "$WORKLOADS/pages" "$how"
	truths
	unlike "$(cat report)" 'not seen|not recorded' "$how: the kernel's account is the same"
done

# The child goes on with what its parent had.
awk '$1 == "child" { print $2, $3, $4 }' truth >children
ok 'fork: the child says something' [ -s children ]
while read -r pid function bytes; do
	folded --pid="$pid" fork.mur
	is "$(left "$function")" "$bytes" "fork: the child's $function has $bytes"
done <children

profile dlopen "$WORKLOADS/pages" dlopen "$WORKLOADS/libplain.so"
truths
unlike "$(cat report)" 'not seen|not recorded' "dlopen: the kernel's account is the same"

# The other way round: what no function of libc maps is noticed.
if [ "$(uname -m)" = x86_64 ]; then
	profile raw "$WORKLOADS/pages" raw
	read -r _ bytes <truth
	like "$(cat report)" "^memusage: $bytes bytes of pages were mapped by system calls that were not seen" \
		'what a bare system call maps is missed, and said'
else
	skip 'a bare system call is made on x86-64 only' 3
fi

# What stands in for malloc only passes on: it becomes a jump to it, if code can be changed.
if [ "$(uname -m)" = x86_64 ]; then
	profile entry "$WORKLOADS/pages" entry
	is "$(cat truth)" 'malloc ff25' 'malloc is but a jump'
else
	skip 'code is changed on x86-64 only' 3
fi

# Where code cannot be changed, what is called by name is still seen, and the report says so.
refused=77
[ "$(uname -m)" != x86_64 ] || { "$WORKLOADS/refuse" true && refused=0 || refused=$?; }
if [ $refused -ne 77 ]; then
	is $refused 0 'a program whose code cannot be changed runs'
	for how in plain over failing threads; do
		profile "alone.$how" "$WORKLOADS/refuse" "$WORKLOADS/pages" "$how"
		truths
		like "$(cat report)" 'code cannot be changed here: mappings that the C library makes' \
			"$name: said"
	done
	profile alone.entry "$WORKLOADS/refuse" "$WORKLOADS/pages" entry
	unlike "$(cat truth)" 'ff25' 'malloc is no jump there'
	profile alone.syscalls "$WORKLOADS/refuse" "$WORKLOADS/pages" syscalls
	like "$(cat report)" "^memusage: [1-9][0-9]* bytes of pages were mapped by system calls that were not" \
		'what is missed is told'
else
	skip 'no filter of system calls here' 30
fi

# ---- reports

profile plain "$WORKLOADS/pages" plain
like "$(cat report)" '^mmap\(a\)\|' 'the summary has the rows of mappings'
unlike "$(cat report)" 'malloc\|' 'and none of malloc'
unlike "$(cat report)" 'exact to within' 'the peak is exact'
total() { sed -n "s/.*heap total: \\([0-9]*\\),.*/\\1/p" report; }
row() { sed -n "s/^ *$1| *[0-9]* *\\([0-9]*\\).*/\\1/p" report; }
num $(($(row 'mmap(r)') + $(row 'mmap(w)') + $(row 'mmap(a)') + $(row mremap))) -eq "$(total)" \
	'its rows add up to the total'
folded plain.mur
end=$(awk '{ sum += $NF } END { print sum }' stacks)
num $(($(total) - $(row munmap))) -eq "$end" 'and less what was unmapped, to what is left'

# What is mapped before the program begins stands under one node, as in Massif's files.
memusage -q --pages-as-heap=yes --threshold=0 --detailed-freq=1 --time-unit=B \
	--massif-out-file=out "$WORKLOADS/pages" plain >/dev/null
like "$(cat out)" '^n[0-9]+: [0-9]+ \(page allocation syscalls\) mmap/mremap/brk, --alloc-fns, etc.' \
	'the root of a tree'
like "$(cat out)" '^ n[0-9]+: [1-9][0-9]* 0x0: \?\?\?$' 'what was mapped at the start'
like "$(cat out)" '^  n0: [1-9][0-9]* 0x[0-9A-F]+: \?\?\? \(in .*libc[-.][^ ]*\)$' '... and by what'
is "$(grep -c '^mem_heap_extra_B=0$' out)" "$(grep -c '^snapshot=' out)" 'no extra bytes'
like "$(memusageprint out)" 'useful-heap' 'and it is printed'
memusage -q --pages-as-heap=yes --alloc-fn=mmap --alloc-fn=__mmap64 --threshold=0 --detailed-freq=1 \
	--massif-out-file=out "$WORKLOADS/pages" plain >/dev/null
unlike "$(cat out)" '^ n[0-9]+: [0-9]+ 0x[0-9A-F]+: (__)?mmap' '--alloc-fn=mmap takes mmap away'

run memusage --pages-as-heap=yes --top=3 "$WORKLOADS/pages" plain
like "$err" 'allocated by' 'other reports do not need a profile of Massif'
like "$err" '[0-9]  \[program start\]' 'what was there before the program began has a name'
like "$err" '[0-9]  \[libc[-.][^ ]*\]$' '... by object'
unlike "$err" 'made at run time|0x0' '... everywhere'
is "$(find . -name 'massif.out.*')" '' '... and make none'

for option in --dhat --stacks=yes --mode=copy --accesses=hooks; do
	run memusage --pages-as-heap=yes "$option" true
	is "$status" 125 "$option is refused"
	like "$err" "^memusage: --pages-as-heap=yes: cannot be used together with ${option%=*}" \
		'... and why'
done
done_testing
