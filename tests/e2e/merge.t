#!/bin/sh
# merge.t -- memusageprint --merge adds up processes: by place, over time, and tells which differ.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need python3 mkfifo
[ -x "$WORKLOADS/phases" ] || skip_all 'no test program phases'

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
like "$out" '^2 processes together held 2\.9[34] MiB at most' 'both at once: the sum'
like "$out" '^   2\.93 MiB  9[0-9.]*% +128  hold_big \(phases\.c:[0-9]*\)' '... by place'
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
like "$out" '^2 processes together held 1\.97 MiB at most.* add up to 2\.94 MiB' \
	'one after the other: the peak of the sum, which is not the sum of peaks'
like "$out" '^   1\.95 MiB .* +64  hold_big' '... with the places of that moment'
like "$out" '^   10\.0 KiB .* +16  hold_small' '... of both processes'
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

# ---- one process alone -----------------------------------------------------------------------------

merge d.mur
like "$out" '^1 process held 1\.96 MiB at most' 'a merge of one process is that process'
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
merge - <r1.mur
is "$status" 2 'nor does a pipe'
done_testing
