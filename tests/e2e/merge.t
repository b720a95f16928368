#!/bin/sh
# merge.t -- memusageprint --merge adds up processes: by place, over time, and tells which differ.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint phases
need_libdw
need python3 mkfifo

# start NAME BIG SMALL: a process whose input is the pipe NAME.in
start() {
	mkfifo "$1.in"
	memusage -q --record="$1.mur" "$WORKLOADS/phases" "$2" "$3" <"$1.in" >"$1.out" &
}
# says NAME WORD: it has come so far. Samples of its memory are taken every 20 ms.
says() { until_true grep -q "^$2" "$1.out"; }
merge() { run memusageprint --merge "$@"; }

# ---- the peak of the sum ---------------------------------------------------------------------------

start a 1000 10
exec 7>a.in
says a big
start b 2000 20
exec 8>b.in
says b big
exec 7>&- 8>&-
wait
merge a.mur b.mur
is "$status" 0 'two processes are merged'
is "$err" '' '... without a message'
like "$out" '^2 processes together held 2\.93 MiB at most' 'both at once: the sum'
like "$out" '^   2\.93 MiB 100\.0% +128  hold_big \(phases\.c:[0-9]*\)' '... by place'
like "$out" 'in all 2 processes: least 1000 KiB, median 1\.46 MiB, most 1\.95 MiB$' \
	'... and what each one has'

start c 1000 10
exec 7>c.in
says c big
echo >&7
says c small
sleep 0.3
start d 2000 20
exec 8>d.in
says d big
exec 7>&- 8>&-
wait
merge c.mur d.mur
like "$out" '^2 processes together held 1\.96 MiB at most.* add up to 2\.93 MiB' \
	'one after the other: the peak of the sum, which is not the sum of peaks'
like "$out" '^   1\.95 MiB .* +64  hold_big' '... with the places of that moment'
like "$out" '^   10\.0 KiB .* +16  hold_small' '... of both processes'
merge --growth c.mur d.mur
like "$out" 'peak' 'what grew is told up to the peak'
unlike "$out" ' the end' '... and not to an end that processes did not have together'
merge --leaks c.mur d.mur
like "$out" '^   30\.0 KiB 100\.0% +32  hold_small' 'at the end: what each had at its own end'
merge --tree=total c.mur d.mur
like "$out" '2\.9[0-9] MiB in 16[0-9] blocks' 'all allocations are the sum'

# ---- sums agree ------------------------------------------------------------------------------------

cat >sums.py <<'EOF'
import json, subprocess, sys
def load(*args):
    return json.loads(subprocess.run(['memusageprint', '--to=json', *args], check=True,
                                     stdout=subprocess.PIPE).stdout)
def total(j, member):
    return sum(s[member] for s in j['sites'])
one = [load(f) for f in sys.argv[1:]]
both = load('--merge', *sys.argv[1:])
for member in ('total_bytes', 'total_blocks', 'live_bytes', 'live_blocks'):
    want = sum(total(j, member) for j in one)
    print(member, 'ok' if total(both, member) == want else '%d %d' % (total(both, member), want))
calls = sum(j['calls']['malloc']['calls'] for j in one)
print('calls', 'ok' if both['calls']['malloc']['calls'] == calls else calls)
print('heap', 'ok' if total(both, 'peak_bytes') == both['heap']['peak'] else both['heap'])
EOF
run python3 sums.py c.mur d.mur
is "$out" "$(printf '%s ok\n' total_bytes total_blocks live_bytes live_blocks calls heap)" \
	'JSON: the sums of the merge are those of the files'
[ "$status" -eq 0 ] || diag "$err"
merge --to=folded c.mur d.mur
is "$(printf '%s\n' "$out" | awk '/hold_big/ { n += $NF } END { print n }')" 2048000 \
	'folded stacks have the sum'
ok 'pprof: written' memusageprint --merge --to=pprof -o all.pb.gz c.mur d.mur
num "$(wc -c <all.pb.gz)" -gt 500 '... something'

# ---- places over time ------------------------------------------------------------------------------

cat >bands.py <<'EOF'
import json, re, sys
html = open(sys.argv[1]).read()
page = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', html,
                            re.S).group(1))
tree, names = page['tree'], page['strings']
def function(node):     # the innermost one of a node
    return names[page['places'][5 * (tree['place'][node - 1] - 1)] - 1]
bytes_of, moments = {}, []
for shot in page['snapshots']:
    if 'values' not in shot:
        continue
    node, v = 0, shot['values']
    for i in range(0, len(v), 3):
        node += v[i]
        bytes_of[node] = v[i + 1]
    at = {}
    for n, b in bytes_of.items():
        if n and b:
            at[function(n)] = at.get(function(n), 0) + b
    moments.append((shot['heap'], at))
print(len(moments) >= 20, all(heap == sum(at.values()) for heap, at in moments))
steps = [(at.get('hold_big', 0), at.get('hold_small', 0)) for heap, at in moments]
order = [s for i, s in enumerate(steps) if i == 0 or s != steps[i - 1]]
print((2048000, 10240) in order, any(b == 0 and s for b, s in order))
print(order.index((1024000, 0)) < order.index((2048000, 10240)))
EOF
if has_page "$MU_BUILD" && [ -x "$MU_BUILD/bin/memusagestat" ]; then
	# Each state lasts longer than a 24th of the whole, so that one of the moments falls into it.
	start s 1000 10
	exec 7>s.in
	says s big
	sleep 1
	echo >&7
	says s small
	start t 2000 20
	exec 8>t.in
	says t big
	sleep 1
	echo >&8
	says t small
	sleep 1
	exec 7>&- 8>&-
	wait
	ok 'a merge with a course' memusageprint --merge --to=recording -o st.mur s.mur t.mur
	ok '... on a page' memusagestat --html=st.html st.mur
	run python3 bands.py st.html
	is "$out" "$(printf 'True True\nTrue True\nTrue')" \
		'... has places over time, whose sum is the heap'
	[ "$status" -eq 0 ] || diag "$err"
else
	skip 'this build has no HTML page' 3
fi

# ---- estimates -------------------------------------------------------------------------------------

cat >bounds.py <<'EOF'
import json, subprocess, sys
def load(*args):
    j = json.loads(subprocess.run(['memusageprint', '--to=json', *args], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    total = j['sampling']['interval_95']['total']
    estimate = sum(s['total_bytes'] for s in j['sites'])
    # The upper bound is not above what was asked for, of which the estimate knows nothing.
    return estimate, total['samples'], estimate - total['bytes'][0], j['sampling']['samples']
one = [load(f) for f in sys.argv[1:]]
both = load('--merge', *sys.argv[1:])
print('sum', both[0] == sum(o[0] for o in one), 'samples', both[1] == sum(o[1] for o in one),
      both[3] == sum(o[3] for o in one))
# Errors of independent samples add up as squares; bounds are printed as whole bytes.
print('error', abs(both[2] - sum(o[2] ** 2 for o in one) ** 0.5) < 3, all(o[1] >= 10 for o in one))
EOF
for i in 1 2 3; do
	memusage -q --sample=16K --record="e$i.mur" "$WORKLOADS/phases" 2000 10 </dev/null >/dev/null
done
run python3 bounds.py e1.mur e2.mur e3.mur
is "$out" "$(printf 'sum True samples True True\nerror True True')" \
	'estimates are added with their bounds'
[ "$status" -eq 0 ] || diag "$err"
merge --tree=total e1.mur e2.mur e3.mur
like "$out" '([+]-|-[0-9.]+ [+])[0-9. ]* .*hold_big' '... which are printed'
like "$err" '^memusageprint: the merge: .* estimates: about one block in 16\.0 KiB, or in less, ' \
	'... and the merge is said to have them'

# ---- one process alone -----------------------------------------------------------------------------

merge d.mur
like "$out" '^1 process held 1\.95 MiB at most' 'a merge of one process is that process'
unlike "$out" 'in all 1' '... without a spread'
memusageprint --top d.mur | grep -A3 hold_big >alone
printf '%s\n' "$out" | grep -A3 hold_big >merged
same merged alone '... with the same places'

# ---- outliers --------------------------------------------------------------------------------------

for i in 1 2 3 4 5 6 7 8; do
	size=$((400 + i))
	[ "$i" -eq 5 ] && size=900
	memusage -q --record="r$i.mur" "$WORKLOADS/phases" "$size" 8 </dev/null >/dev/null
done
merge --processes --top r?.mur
pid=$(memusageprint --to=json r5.mur | sed -n 's/.*"pid":\([0-9]*\).*/\1/p')
like "$out" "^peak of each: in all 8 processes: .*; outlier: $pid phases\$" \
	'the process that has more is an outlier'
like "$(printf '%s\n' "$out" | sed -n '/ course /{n;p;q;}')" "^ +$pid .*outlier" \
	'... and the first in the table'
like "$out" "most 900 KiB; outlier: $pid phases" '... and named beside its place'
unlike "$out" ' more: ' 'all are listed'
merge --top=3 r?.mur
like "$out" '^5 more: --processes lists all' '... or as many as places'

# ---- merges of merges, comparison, damage ------------------------------------------------------------

# ---- processes one after the other that end with more than they had together ----------------------

cat >ends.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
	void *volatile block = malloc((size_t)atoi(argv[argc - 1]) << 20);

	return !block;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin ends.c -o ends
for size in 6 5 1; do
	memusage -q --record=end$size.mur ./ends $size
done
merge --to=json end6.mur end5.mur
like "$out" '"heap":\{"now":11534336,"peak":6291456,' 'the heap at their ends is above the peak of the sum'
like "$out" '"peak_bytes":6291456,.*"live_bytes":11534336,' '... as it is at places'
memusageprint --merge --to=recording -o ends.mur end6.mur end5.mur
run memusageprint --fail-if='heap end > 9M' ends.mur
is "$status" 100 'a merge is judged by what its processes had at their ends'
like "$out" '^heap end > 9M: 11\.0 MiB, 2\.00 MiB over the limit$' '... all together'
run memusageprint --fail-if='heap peak > 6M' ends.mur
is "$status" 0 '... and by its peak'
like "$(memusageprint --summary ends.mur)" 'heap peak: 6291456' '... which is the summary'"'"'s'
like "$(memusageprint --top ends.mur)" 'of the 6\.00 MiB live when the heap was largest' '... and that of places'
merge ends.mur end1.mur
like "$out" '^2 processes together held 6\.00 MiB at most' 'a merge of it has the peak of the sum'
merge --to=json ends.mur end1.mur
like "$out" '"heap":\{"now":12582912,"peak":6291456,' '... and the heap at all ends'

ok 'a merge is a recording' memusageprint --merge --to=recording -o one.mur r1.mur r2.mur r3.mur
ok '... of one process' memusageprint --merge --to=recording -o two.mur r6.mur r7.mur r8.mur
merge one.mur two.mur
like "$out" '^2 processes together' '... which can be merged again'
memusageprint --merge --to=recording -o three.mur r1.mur r2.mur r5.mur
run memusageprint --diff one.mur three.mur
like "$out" '^hold_big .*grew by 497 KiB' '... and compared'
run memusageprint --to=recording r1.mur
isnt "$status" 0 'a recording need not be converted to one'
head -c 3000 r2.mur >cut.mur
merge r1.mur cut.mur none.mur r3.mur
isnt "$status" 0 'a file that cannot be read is an error'
like "$out" '^2 processes together' '... but the others are merged'
like "$err" 'none\.mur' '... and it is named'
merge --pid=1 r1.mur
is "$status" 2 '--pid does not suit a merge'
merge --to=dot r1.mur
is "$status" 2 'nor do graphs of the blocks of one process'
merge - <r1.mur
is "$status" 2 'nor does a pipe'

# ---- --children=merge: a tree of processes --------------------------------------------------------

# The parent holds 1000 KiB; three children have copies, free half of it, and allocate 10, 20 and 30.
mkfifo tree.in
memusage --children=merge --top --tree --record=tree.mur -o tree.report \
	"$WORKLOADS/phases" 1000 10 3 <tree.in >tree.out &
exec 7>tree.in
# shellcheck disable=SC2317 # until_true calls it
have_begun() { [ "$(grep -c child tree.out)" -eq 3 ]; }
until_true have_begun
# No sample of memory has seen the last blocks of all yet: the time of the last event counts.
exec 7>&-
wait
out=$(cat tree.report)
like "$out" '^4 processes together held 1\.04 MiB at most' 'a server and its workers: one report'
like "$out" '^   1000 KiB .* +64  hold_big' "... what children have from their parent counts once"
like "$out" '^   60\.0 KiB .* +48  hold_small' '... what they allocate counts'
like "$out" 'in 3 of 4 processes: least 0 B, median 15\.0 KiB, most 30\.0 KiB$' '... of each one'
unlike "$out" 'process [0-9]+ .*(forked|child)' '... without lines for others'
merge --tree=total tree.mur
like "$out" '^   1000 KiB +9[0-9.]*%  hold_big' 'all allocations: those of the parent once'
merge --leaks tree.mur
like "$out" '^   1000 KiB .* +64  hold_big' 'at the end too'
run memusageprint --pid="$(memusageprint --processes tree.mur | awk '/_exit/ { print $1; exit }')" \
	--leaks tree.mur
like "$out" ' 500 KiB .* 32  hold_big' 'a child alone has what it kept of its parent'"'"'s'
# Counters and estimates of a child do not have those of its parent.
cat >history.py <<'EOF'
import json, subprocess, sys
def load(*args):
    return json.loads(subprocess.run(['memusageprint', '--to=json', *args], check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
tree = load('--merge', 'tree.mur')
print('sizes', sum(n for low, high, n in tree['histogram']) == tree['calls']['malloc']['calls'] ==
      64 + 3 * 16)
tree, parent = load('--merge', 'sampled.mur'), load('sampled.mur')
def half(j, moment):
    low, high = j['sampling']['interval_95'][moment]['bytes']
    return high - low
# Children allocate 60 KiB: none to three samples, beside about forty of the parent.
print('samples', parent['sampling']['samples'] >= 10,
      0 <= tree['sampling']['samples'] - parent['sampling']['samples'] <= 10,
      tree['sampling']['live'] <= tree['sampling']['samples'])
print('errors', *[0.9 * half(parent, m) <= half(tree, m) < 1.3 * half(parent, m)
                  for m in ('total', 'live', 'peak')])
EOF
MEMUSAGE_SAMPLE_SEED=7 memusage -q --children=merge --sample=64K --record=sampled.mur \
	"$WORKLOADS/phases" 4000 10 3 </dev/null >/dev/null
run python3 history.py
is "$out" "$(printf 'sizes True\nsamples True True True\nerrors True True True')" \
	'sizes, samples and errors of the parent count once'
[ "$status" -eq 0 ] || diag "$err"
memusage -q --record=old.mur "$WORKLOADS/phases" 1000 10 3 </dev/null >/dev/null
merge old.mur
like "$out" '^3 of them began as copies .* memusage --children=merge counts it once' \
	'a recording that does not tell them apart says so'

if command -v make >make.path && command -v gcc >gcc.path; then
	printf 'all: a.o b.o c.o\n\tgcc -o $@ $^\n%%.o: %%.c\n\tgcc -O1 -c $<\n' >Makefile
	echo 'int main(void) { return 0; }' >a.c
	echo 'int b;' >b.c
	echo 'int c;' >c.c
	run memusage --children=merge --html=make.html -o make.report make -s -j2 all
	is "$status" 0 'make -j2 works as ever'
	ok '... and its result runs' ./all
	out=$(cat make.report)
	like "$out" '^[0-9]+ processes together held' 'a build is one report'
	num "$(printf '%s\n' "$out" | sed -n 's/^\([0-9]*\) processes together.*/\1/p')" -ge 8 \
		'... of make, compilers, assemblers and the linker'
	like "$out" ' cc1' '... by their names'
	if has_page "$MU_BUILD"; then
		num "$(wc -c <make.html)" -gt 20000 '... and one page'
	else
		skip 'this build has no HTML page'
	fi
else
	skip 'no make and gcc' 6
fi
run memusage --children=merge --massif true
is "$status" 125 'files of other tools are of one process'
done_testing
