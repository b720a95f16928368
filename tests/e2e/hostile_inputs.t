#!/bin/sh
# hostile_inputs.t -- no input makes a program of ours take more than 1 GB of memory, 60 s of CPU or
# 1 GB of disk beyond what its size explains.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl gzip
need_bin terminal

# within SECONDS KIB CMD...: runs it with so much CPU and memory; $status is 152 or 137 where the time
# was not enough. All limits are many times of what is needed.
within() {
	if is_sanitized any; then # it needs all address space, more time and memory
		seconds=$(($1 * 5)) limit=0
		[ "$2" = unlimited ] || limit=$(($2 / 256))
		shift 2
		run sh -c 'ulimit -t "$1" && ulimit -f 2097152 && shift && exec env "$@"' - "$seconds" \
			ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=$limit" "$@"
		return
	fi
	run sh -c 'ulimit -t "$1" && ulimit -v "$2" && ulimit -f 2097152 && shift 2 && exec "$@"' \
		- "$@"
}
holds() {
	within 60 1000000 "$@"
}

# snapshot NUMBER TIME HEAP: one of a massif.out
snapshot() {
	printf '#-----------\nsnapshot=%s\n#-----------\ntime=%s\nmem_heap_B=%s\n' "$1" "$2" "$3"
	printf 'mem_heap_extra_B=0\nmem_stacks_B=%s\nheap_tree=empty\n' "${4:-0}"
}
header() { printf 'desc: (none)\ncmd: ./a\ntime_unit: %s\n' "${1:-i}"; }

# ---- pictures ----

# Points that are 1e19 pixels beyond the end of the run.
{
	header
	snapshot 0 0 100 && snapshot 1 18446744073709551615 100000 && snapshot 2 1 100 9
} >far.massif
{
	header ms
	snapshot 0 0 100 && snapshot 1 18446744073709551615 18446744073709551000 && snapshot 2 7 1 9
} >farther.massif
# So many dashes that each of them must not be a shape.
{
	header
	perl -e 'for (0 .. 99999) {
		printf "snapshot=%d\ntime=%d\nmem_heap_B=%d\nmem_heap_extra_B=%d\n" .
			"mem_stacks_B=0\nheap_tree=empty\n", $_, $_, $_ % 2 * 1e6, $_ % 2 * 1e5 }'
} >dense.massif
draw() {
	for output in png svg ps eps; do
		for theme in light dark; do
			holds memusagestat --theme="$theme" -o "picture.$output" "$1"
			is "$status $err" '0 ' "$1 is drawn as $output, $theme"
			num "$(wc -c <"picture.$output")" -lt 1000000 "$1: a small $output"
		done
	done
	holds memusagestat "$1" picture.png
	is "$status $err" '0 ' "$1 is drawn by default"
}
if has_program memusagestat; then
	for file in far farther dense; do
		draw "$file.massif"
	done
	holds memusagestat --theme=dark -x 8000 -y 2000 dense.massif big.png
	is "$status $err" '0 ' 'a big picture of it takes no more'
else
	skip 'this build has no memusagestat'
fi

# ---- files that grow when they are read ----

# bomb NAME PERL: what it prints, compressed; <> is the beginning of a profile of DHAT.
bomb() {
	perl -e "$2" head.json | gzip -1 >"$1"
	num "$(wc -c <"$1")" -lt 3000000 "$1 is small"
}
# Time by the square of the number of lines would be 80 times of what there is for it.
bomb desc.gz 'print "desc:\n" x 1e6, "cmd: a\ntime_unit: i\n"'
within 1 unlimited memusageprint desc.gz
like "$err" 'the file ends before the first snapshot' 'a million lines of a header'
bomb nodes.gz 'print "time_unit: i\nsnapshot=0\ntime=0\nmem_heap_B=0\nmem_heap_extra_B=0\n",
	"mem_stacks_B=0\nheap_tree=peak\nn20000000: 0\n"; print "n0: 0\n" x 1e6 for 1 .. 20'
holds memusageprint nodes.gz
like "$err" 'more than [0-9]+ lines of trees' 'a tree of twenty million lines'
bomb tree.gz 'print "time_unit: i\n"; for my $n (0 .. 30) { print "snapshot=$n\ntime=0\n",
	"mem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn100000: 0\n";
	print "n0: 0 " . "x" x 60 . "\n" for 1 .. 100000 }'
holds memusageprint tree.gz
like "$err" 'becomes more than [0-9]+ times as large' 'a small file that becomes a large one'
cat >head.json <<EOF
{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":false,"bkacc":true,
"tu":"instrs","Mtu":"Minstr","cmd":"a","pid":1,"te":1,"pps":[
EOF
bomb counts.gz 'print <>; my $p = q({"tb":1,"tbk":1,"rb":1,"wb":1,"fs":[],) .
	q("acc":[-65536,1]}); print "$p," x 1000 for 1 .. 600; print $p, q(],"ftbl":["[root]"]})'
holds memusageprint counts.gz
like "$err" 'too many access counts' 'runs of access counts'
bomb frames.gz 'print <>, q(],"ftbl":["[root]"); print q(,"0x1: f (a.c:1)") x 1000
	for 1 .. 5000; print "]}"'
holds memusageprint frames.gz
like "$err" 'too many frames' 'a table of frames that does not end'

# ---- files that grow when they are written ----

# A megabyte of names that each of 20,000 stacks has.
perl -e 'print "desc: x\ncmd: x\ntime_unit: i\nsnapshot=0\ntime=1\nmem_heap_B=100000\n";
	print "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n";
	printf "n%d: 100000 0x%x: f%s (a.c:1)\n", $_ == 999 ? 20000 : 1, 4096 + $_, "y" x 500 for 0 .. 999;
	printf "n0: 5 0x%x: g%d (b.c:1)\n", 1 << 20 | $_, $_ for 0 .. 19999' >deep.massif
holds memusageprint --to=folded -o deep.folded deep.massif
is "$status" 1 'folded stacks that would fill a disk'
like "$err" '^memusageprint: cannot write deep.folded: it would have more than [0-9]{9} bytes' '... are refused'
nok '... and leave no file' [ -e deep.folded ]
# A program whose function has a name of 60,000 characters, 240,000 times in its stacks.
perl -e 'my $f = "f" . "x" x 60000;
	print "#include <stdlib.h>\nvoid *volatile p;\n";
	print "__attribute__((noinline)) void $f(int d, int k)\n{\n";
	print "\tif (d) {\n\t\t$f(d - 1, k);\n\t\t__asm__(\"\");\n\t\treturn;\n\t}\n\tswitch (k) {\n";
	print "\tcase $_: p = malloc(10); __asm__(\"\"); break;\n" for 0 .. 599;
	print "\t}\n}\nint main(void) { for (int k = 0; k < 600; k++) $f(400, k); }\n"' >long.c
if "${CC:-gcc}" -O1 -fno-optimize-sibling-calls -o long long.c 2>/dev/null && need_recorder; then
	memusage -q --record=long.mur ./long
	within 15 1000000 memusageprint --to=speedscope -o long.json long.mur
	is "$status" 0 'a name of 60,000 characters in each frame, for speedscope'
	within 30 1000000 memusageprint --to=folded -o long.folded long.mur
	is "$status" 1 '... as folded stacks'
	like "$err" 'it would have more than' '... which are refused'
	if has_program memusageserve && command -v curl >/dev/null &&
		sed 's/k); }$/k); sleep(60); }/; s/^void/#include <unistd.h>\n&/' long.c >waits.c &&
		"${CC:-gcc}" -O1 -fno-optimize-sibling-calls -o waits waits.c; then
		memusage -q --serve="unix:$PWD/http" ./waits &
		server=$!
		until_true [ -S http ]
		run curl -s -m 55 --unix-socket http -w '%{http_code}' 'http://localhost/debug/pprof/heap?debug=1'
		is "$out" 'the answer would have more than 512 MiB
503' '... and as an answer of the server, which is in memory'
		kill "$server"
		wait "$server"
	else
		skip 'no server, or no curl'
	fi
else
	skip 'no compiler' 4
fi

# ---- recordings of programs that lie ----

# The collector has a session of its own, but the limits of who starts it.
need_recorder
for how in counts extents shared holes chain; do
	rm -f lies.mur
	within 20 unlimited memusage --record=lies.mur "$WORKLOADS/hostile" "$how"
	is "$status $out" '0 ready' "a program that lies about its $how is recorded"
	num "$(wc -c <lies.mur)" -gt 10000 "$how: there is a recording"
	num "$(wc -c <lies.mur)" -lt 100000000 "$how: it is no larger than the program made it"
	for report in --top --html=lies.html --dhat --massif; do
		within 20 unlimited memusage "$report" "$WORKLOADS/hostile" "$how"
		like "$out" '^ready$' "$how: $report ends"
	done
	for report in --summary --top --plot --marks --to=json; do
		holds memusageprint "$report" lies.mur
		num "$status" -le 1 "$how: memusageprint $report ends by itself"
	done
	if has_program memusagestat; then
		holds memusagestat lies.mur lies.png
		num "$status" -le 1 "$how: memusagestat ends by itself"
		holds memusagestat --flame -o lies.svg lies.mur
		num "$status" -le 1 "$how: memusagestat --flame ends by itself"
	fi
done

# A file that is nothing but a hole behind its header.
cp lies.mur holes.mur
truncate -s 1T holes.mur
holds memusageprint --summary holes.mur
num "$status" -le 1 'a recording of a terabyte of holes'

# ---- terminals ----

bad=$(printf 'x \033]0;pwned\007\033[2J\302\23331m\342\200\256\330\234')
{
	header | sed "s/(none)/$bad/; s/a$/$bad/"
	snapshot 0 0 0
	snapshot 1 10 100 | sed 's/empty/peak/'
	printf 'n1: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n'
	printf ' n0: 100 0x1234: evil%s (file%s.c:12)\n' "$bad" "$bad"
} >escapes.massif
commands=$(printf '\033|\302\233|\342\200\256|\330\234|\007')
for report in '' --threshold=0 --plot --to=json --to=folded --to=callgrind --to=massif; do
	# shellcheck disable=SC2086
	run "$WORKLOADS/terminal" -- memusageprint --color=never $report escapes.massif
	like "$out" 'evil.*pwned' "the report${report:+ $report} has the names on a terminal"
	unlike "$out" "$commands" "... and nothing that it obeys"
done
memusageprint escapes.massif >bytes
ok 'a file gets the bytes as they are' grep -q "$(printf 'evilx \033')" bytes
run "$WORKLOADS/terminal" -- memusageprint "no$bad"
like "$out" 'no.*pwned' 'a message has the name that is wrong'
unlike "$out" "$commands" '... and nothing that a terminal obeys'

done_testing
