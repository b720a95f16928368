#!/bin/sh
# snapshot_when.t -- --snapshot-when: one snapshot for each time that a threshold is crossed, taken
# at the very event, however short what follows.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

start() {
	begin_live memusage -o report --snapshot-file='s.%n' "$@" live
	tell alloc 1 10
}
files() { find . -maxdepth 1 -name 's.*' | wc -l; }
# Files are written meanwhile: wait for the Nth.
await() { wanted=$1 && until_true has_wanted; }
has_wanted() { [ "$(files)" -ge "$wanted" ]; }

# ---- one crossing, one snapshot, at the event

start --snapshot-when='heap>100000'
tell alloc 99 1000
tell alloc 50 1000
tell free 40
tell alloc 40 1000
end
is "$(files)" 1 'heap: one crossing is one snapshot, also after a dip of less than 10 %'
is "$(field mem_heap_B s.1)" 100010 '... of the first event beyond the threshold'
is "$(field heap_tree s.1)" detailed '... detailed'
like "$(cat s.1)" 'n[0-9]*: 100010 0x[0-9A-F]*: keep \(([^ ]*/)?live.c:' '... who holds it'
is "$(grep -c '^snapshot=' s.1)" 1 '... alone in its file'
ok '... as Massif writes it' memusageprint s.1
like "$(cat report)" '^memusage: snapshot of process [0-9]+ \(heap>100000\): s.1$' 'the report names it'
rm -f s.*
start --snapshot-when=heap:100k
tell alloc 150 1000
tell free 60
tell alloc 60 1000
end
is "$(files)" 2 'after a fall of more than 10 % it is another crossing'
is "$(field mem_heap_B s.2)" 103000 '... with its own snapshot'
rm -f s.*

# ---- shorter than any look

start --snapshot-when='heap>300K' --snapshot-when='heap>1M'
tell spike 1 500000
tell spike 1 2000000
end
is "$(files)" 2 'a block that lives for a microsecond'
is "$(field mem_heap_B s.1),$(field mem_heap_B s.2)" 500010,2000010 '... is in its snapshot'
like "$(cat s.2)" 'n[0-9]*: 2000000 0x[0-9A-F]*: spike \(([^ ]*/)?live.c:' '... by name'
like "$(cat report)" '\(heap>300K, heap>1M\): s.2$' 'two thresholds crossed by one event are one snapshot'
rm -f s.*
start --snapshot-when='heap>300K' --massif --massif-out-file=run.out
tell spike 200 400000
end
files=$(files)
lost=$(sed -n 's/^memusage: not recorded: \([0-9]*\) snapshots that a signal or .*/\1/p' report)
num "$files" -ge 8 'many crossings in no time'
is $((files + ${lost:-0})) 200 '... are files or counted'
num "$(grep -c '^memusage: snapshot of' report)" -ge 8 '... and told of'
num "$(grep -c '^snapshot=' run.out)" -gt 10 'the series of the run is as ever'
rm -f s.*

# The collector keeps 64 at most for a memusageprint that takes its time.
mkdir bin
cp "$MU_BUILD/bin/memusage" bin
ln -s "$MU_BUILD/lib" lib
cat >bin/memusageprint <<END
#!/bin/sh
until test -e go; do sleep 0.1; done
exec "$MU_BUILD/bin/memusageprint" "\$@"
END
chmod +x bin/memusageprint
begin_live bin/memusage -o report --snapshot-file='s.%n' --snapshot-when='heap>300K' live
i=0
while [ $((i += 1)) -le 100 ]; do
	tell spike 1 400000
done
exec 3>&- 4<&-
until_true sh -c "! kill -0 $(pids live "$job")"
touch go
wait "$job"
files=$(files)
lost=$(sed -n 's/^memusage: not recorded: \([0-9]*\) snapshots that a signal or .*/\1/p' report)
num "$files" -ge 8 'crossings whose files take long'
is $((files + ${lost:-0})) 100 '... are files or counted, too'
rm -rf s.* bin lib go

# ---- the same series with and without

for how in '' --snapshot-when=heap:1G; do
	# shellcheck disable=SC2086
	memusage -q --time-unit=B --massif --massif-out-file="series$how" $how massif_ramp
done
for file in series*; do
	sed -e '/^desc:/d' -e 's/0x[0-9A-F]*://' "$file" >"$file.plain"
done
num "$(grep -c '^snapshot=' series)" -gt 20 'a series'
same series.plain series--snapshot-when=heap:1G.plain '... that a threshold does not change'

# ---- other quantities

start --snapshot-when='total>2000' --heap-admin=100
tell alloc 5 100
tell alloc 10 100
end
is "$(files)" 1 'total'
sum=$(($(field mem_heap_B s.1) + $(field mem_heap_extra_B s.1)))
num "$sum" -gt 2000 '... with extra bytes'
num "$sum" -le 2212 '... at the event'
rm -f s.*
start --snapshot-when='blocks>1k'
tell alloc 900 10
sleep 0.2
is "$(files)" 0 'blocks: not yet'
tell alloc 200 10
await 1
tell free 10
end
is "$(files)" 1 'blocks'
is "$(field mem_heap_B s.1)" 11010 '... within a look'
rm -f s.*
start --snapshot-when='rss>50M'
tell spike 1 10000000
tell alloc 1 80000000
await 1
end
is "$(files)" 1 'rss'
is "$(field mem_heap_B s.1)" 80000010 '... within a look'
rm -f s.*
start --snapshot-when='stacks>1' --stacks=yes
tell alloc 1 100
end
is "$(files)" 1 'stacks'
num "$(field mem_stacks_B s.1)" -gt 1 '... in the snapshot'
rm -f s.*

# ---- several threads, children, ends

start --snapshot-when='heap>100000'
tell threads 8
tell busy
tell alloc 200 1000
await 1
end
is "$(files)" 1 'several threads'
heap=$(field mem_heap_B s.1)
num "$heap" -gt 90000 '... within what they keep back'
num "$heap" -le 145000 '... at most'
rm -f s.*
run memusage -q --snapshot-when='heap>1000' --snapshot-file='s.%n' sh -c \
	'live </dev/null; kill -9 $$'
is "$status" 137 'a process that is killed'
num "$(files)" -ge 1 '... or executes another: what it crossed is written'
rm -f s.*
run memusage -q --massif --massif-out-file=none --snapshot-when='heap>1000' \
	--snapshot-file='s.%p.%n' -- sh -c 'sh -c "sleep 0.1" & sh -c "sleep 0.1"; wait'
num "$(files)" -ge 1 'children have files of their own'
rm -f s.*

# ---- the command line

for when in heap '>5' 'heap>' 'heap>x' 'heap>-5' 'heap>1.5M' 'heap>2E' 'heap<5' 'size>5' \
	'heap>99999999999G' ''; do
	run memusage "--snapshot-when=$when" true
	is "$status" 125 "'$when' is refused"
done
run memusage --snapshot-when=heap true
like "$err" "quote it as in 'heap>500M'" 'a forgotten quote is guessed'
run memusage --snapshot-when='stacks>5M' true
like "$err" 'needs --stacks=yes' 'stacks must be recorded'
run memusage --snapshot-when=heap:1 --mode=ad-hoc true
is "$status" 125 'there are no snapshots of ad hoc events'
# shellcheck disable=SC2046
run memusage $(printf -- '--snapshot-when=heap:%d ' 1 2 3 4 5 6 7 8) true
like "$err" 'one condition too many: seven are possible' 'seven are the most'
done_testing
