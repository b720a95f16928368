#!/bin/sh
# attach_before.t -- the blocks that a process had before memusage attached to it are one place, from the
# first moment: what they were, less what is freed of them, with what is recorded, is what is there
# afterwards, to the byte.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint heaps attached live untouched
need mkfifo python3
need_attach
PATH=$WORKLOADS:$PATH

order() {
	echo "$*" >&3
	read -r _ <&4
}
# counts: blocks and bytes in use now, by a census
counts() {
	memusage --pid="$job" -q census now.json &&
		python3 -c "import json; d = json.load(open('now.json'))['used']
print(d['blocks'], d['bytes'])"
}
# get EXPRESSION: of the recording run.mur as JSON, `d`
get() {
	memusageprint --to=json run.mur >run.json
	python3 -c "import json; d = json.load(open('run.json')); b = d['before']; print($1)"
}

begin_live heaps
order make 0 1000 104

# ---- known truth ---------------------------------------------------------------------------------
# Of all sizes here malloc makes what was asked for. Threads that come and go leave their structures
# with libc, so they have come and gone once before.

order make 1 600 1000
order make 2 300 24
order make 3 40 40008
order churn 3
first_counts=$(counts)
ok 'a process with blocks in four arenas' attach "$job" -v -o report --record=run.mur
order free 0 200
order free 1 100
order churn 3
order make 1 50 2008
order realloc 2 30 328
order churn 20
# These cannot be: the blocks stay.
order realloc 1 4 4000000000000000000
order make 0 70 24
order free 3 900
detach
is "$status" 0 '... is recorded for a while'
# Of 1940 old blocks 1230 are gone, the oldest ones but four.
like "$(cat attach.err)" "it has [0-9,]* blocks of [0-9.]* [KM]iB from before" '-v tells what it had'
like "$(cat report)" "it had [0-9,]* blocks of [0-9.]* [KM]iB before, of which 1,230 of [0-9.]* KiB are gone" \
	'the report tells what became of it'
is "$(get 'b["blocks"], b["bytes"]')" "$first_counts" 'they are what a census counts'
is "$(get 'b["gone_blocks"]')" 1230 'what is gone'
is "$(get 'b["gone_bytes"]')" $((996 * 104 + 234 * 1000)) '... to the byte'
is "$(get 'd["heap"]["now"]')" "$(counts | cut -d' ' -f2)" \
	'the heap at the end is what there is now, to the byte'
is "$(get 'sum(s["live_blocks"] for s in d["sites"])')" "$(counts | cut -d' ' -f1)" '... and to the block'
is "$(get '[s["call"] for s in d["sites"] if s["total_blocks"] == b["blocks"]]')" "['other']" \
	'they are a place of their own'
like "$(memusageprint --leaks run.mur)" "  \[before the attach\]" '... with its name'
like "$(memusageprint --to=folded run.mur)" '^\[before the attach\] [0-9]' '... in other formats, too'
ok 'dhat has what was recorded' memusageprint --to=dhat run.mur

is "$(memusageprint --to=massif run.mur | sed -n 's/^mem_heap_B=//p' | head -1)" \
	"$(get 'b["bytes"]')" 'the first snapshot has what there was'

# ---- data files and DHAT --------------------------------------------------------------------------

# heaps_of FILE: the first heap total of its events, and the last
heaps_of() {
	python3 -c "import struct, sys
data = open(sys.argv[1], 'rb').read()
heap = [h for h, _, _ in struct.iter_unpack('<QQQ', data)][2:]
print(heap[0], heap[-1])" "$1"
}

first_counts=$(counts)
attach "$job" -o report --record=run.mur --data=run.dat --dhat --dhat-out-file=run.dhat
order make 1 1 1000
order free 0 60
order make 1 1 1000
detach
is "$(heaps_of run.dat)" "$((${first_counts#* } + 1000)) $(counts | cut -d' ' -f2)" \
	'a data file begins with the heap that there was, and ends with what there is'
python3 -c "import json
d = json.load(open('run.dhat'))
print(*[(p['tbk'], p['tb'], p['ebk'], p['eb']) for p in d['pps']
        if any('before the attach' in d['ftbl'][f] for f in p['fs'])])" >point
is "$(cat point)" "$(get '(b["blocks"], b["bytes"], b["blocks"] - b["gone_blocks"], b["bytes"] - b["gone_bytes"])')" \
	'DHAT has them as a point of their own'

same_rounds=0 rounds=$(attempts 3 6)
for _ in $(seq "$rounds"); do
	attach "$job" -o report --record=run.mur
	order free 2 20
	order churn 10
	order make 3 25 504
	order realloc 0 5 1000
	order free 1 7
	detach
	[ "$(get 'd["heap"]["now"]')" = "$(counts | cut -d' ' -f2)" ] && same_rounds=$((same_rounds + 1))
done
is "$same_rounds" "$rounds" 'so it is each time'
bytes=$(counts | cut -d' ' -f2)
attach "$job" -o report
order make 0 20 104
order free 0 10
order make 0 2 104
detach
like "$(cat report)" "heap peak: $((bytes + 2080))," 'without call stacks the heap is right, too'

# ---- not exactly ---------------------------------------------------------------------------------

MEMUSAGE_ATTACH_BLOCKS=10
export MEMUSAGE_ATTACH_BLOCKS
attach "$job" --record=run.mur -o report
order free 0 3
detach
unset MEMUSAGE_ATTACH_BLOCKS
like "$(cat attach.err)" "blocks from before are [0-9.]* [KM]iB at most: it has more than 10 blocks" \
	'more blocks than are counted'
like "$(cat report)" "it had blocks of [0-9.]* [KM]iB at most before, of which 3 of" '... are in the report'
is "$(get 'b["known"], b["blocks"], b["gone_blocks"]')" 'at most 0 3' '... and in JSON'
attach "$job" --sample=4K --record=run.mur -o report
order free 0 3
order make 0 100 104
detach
like "$(cat report)" 'before, which are in no other figure, since samples' 'with --sample they are apart'
is "$(get 'b["known"], b["gone_blocks"]' 2>/dev/null)" 'apart 0' '... and in JSON'
end

other=
[ -n "${MU_WORKLOADS:-}" ] || other=$(find /usr/lib -name 'libjemalloc.so.2' 2>/dev/null | head -1)
if [ -n "$other" ]; then
	begin_live env LD_PRELOAD="$other" heaps
	order make 0 1000 100
	attach "$job" -o report --record=run.mur
	order free 0 30
	detach
	like "$(cat attach.err)" 'from before are not known: its malloc is that of libjemalloc.so.2' \
		'another malloc'
	like "$(cat report)" 'blocks from before are not known' '... is said in the report'
	like "$(cat report)" '30 frees of blocks from before' '... with what is freed'
	end
else
	skip 'no jemalloc here' 3
fi

# ---- while threads work ----------------------------------------------------------------------------
# A thread that is in the middle of free has a block that counts as in use.

rm -f input
mkfifo input
attached blocks 4 <input >output &
job=$!
exec 3>input 4</dev/null
until_true grep -q ready output
near=0 rounds=$(attempts 2 4)
for _ in $(seq "$rounds"); do
	attach "$job" --record=run.mur -o report
	sleep 0.2
	detach
	then=$(counts | cut -d' ' -f1)
	[ "$(get "b['known'] == 'exact' and d['heap']['now'] >= 0 and
abs(sum(s['live_blocks'] for s in d['sites']) - $then) < 150")" = True ] && near=$((near + 1))
done
is "$near" "$rounds" 'threads that allocate all the time: about as many blocks as a census counts then'
exec 3>&-
wait "$job"
like "$(tail -1 output)" 'bad=0$' '... and are not harmed'

# ---- a process that has not allocated yet --------------------------------------------------------

for options in --record=run.mur --sample=64K --massif; do
	begin_stranger untouched
	ok "$options: a process that never called malloc" attach "$program" -o report $options
	echo >&3
	until_true grep -q "^done$" output
	detach
	like "$(cat report)" 'it had no blocks before$' '... had no blocks'
	unlike "$(cat report)" 'without exit handlers' '... and nothing is said of exit handlers'
	case $options in --record*)
		is "$(get 'b["known"], d["heap"]["now"]')" "exact 1000" '... but later'
		;;
	esac
	exec 3>&-
	wait "$program"
	is $? 0 '... and goes on'
done

# ---- snapshots -----------------------------------------------------------------------------------
# One thread, for which only the places that have changed are added up again.

begin_live live
tell alloc 50 1000
attach "$job" -o report --record=run.mur
for _ in 1 2 3 4 5 6; do
	tell free 3
	tell alloc 100 3000
done
detach
kept=$(get 'len(d["snapshots"])')
num "$kept" -gt 3 'a recording has snapshots'
wrong=0
for number in 0 1 2 3 $((kept / 2)) $((kept - 1)); do
	memusageprint --growth="$number..end" run.mur >grown
	grep -q '[0-9] *\[before the attach\]' grown && wrong=$((wrong + 1))
done
is "$wrong" 0 '... in none of which old blocks are fewer than later' || diag "$(cat grown)"
end
done_testing
