#!/bin/sh
# batch.t -- frees in a row are booked in batches: nobody finds any of them missing, whatever comes
# after them, and from wherever he looks.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH

# same TEXT PID BLOCKS BYTES FREES: what the recording of PID says is what the program said
same() {
	kept=kept.$2.mur
	ok "$1: there is a recording" test -s "$kept"
	memusageprint --to=json "$kept" >json
	is "$(sed -n 's/.*"call":"malloc".*"live_bytes":\([0-9]*\),"live_blocks":\([0-9]*\),.*/\2 \1/p' json |
		awk '{ blocks += $1; bytes += $2 } END { print blocks + 0, bytes + 0 }')" "$3 $4" \
		'... what lives is known by its place'
	# libc has blocks of its own for a thread.
	[ "${1%% *}" != thread ] || return 0
	is "$(sed -n 's/^"heap":{"now":\([0-9]*\),.*/\1/p' json)" "$4" '... the heap is'
	is "$(memusageprint --summary "$kept" | awk -F'|' '/^ *free\|/ { split($2, v, " "); print v[1] }')" "$5" \
		'... and so are the calls'
}

for row in 7 8 9 12 24 25 26 50; do
	for how in exit _exit; do
		run memusage -q --max-snapshots=10 --record=kept.%p.mur batch $how $row
		# shellcheck disable=SC2086
		same "$how after $row" $out
	done
done
for row in 11 24 30; do
	for how in kill abort exec fork thread realloc handler again; do
		run memusage -q --max-snapshots=10 --record=kept.%p.mur batch $how $row
		# shellcheck disable=SC2086
		same "$how after $row" $out
	done
done

# A peak of its own for each place is not taken from what waits.
run memusage -q --max-snapshots=10 --record=kept.%p.mur batch _exit 20
# shellcheck disable=SC2086
set -- $out
memusageprint --to=json "kept.$1.mur" >json
like "$(cat json)" '"peak_bytes":219900,"peak_blocks":200,.*"max_bytes":219900' 'what it was at the peak is right'

# Another process looks.
mkfifo in out
memusage -q -o report --max-snapshots=10 --record=kept.%p.mur batch pause 20 <in >out 2>err &
job=$!
exec 3>in 4<out
read -r pid blocks bytes frees <&4
run memusage -q --pid="$pid" detailed_snapshot shot
is "$status" 0 'a snapshot of a program that stands still'
is "$(sed -n 's/^mem_heap_B=//p' shot | tail -1)" "$bytes" '... has its heap'
is "$(sed -n 's/^mem_heap_extra_B=//p' shot | tail -1)" \
	"$(awk -v n="$blocks" 'BEGIN { for (i = 200 - n; i < 200; i++) {
		size = 1000 + i; sum += int((size + 15) / 16) * 16 - size + 8 } print sum }')" \
	'... with its extra bytes'
like "$(cat shot)" "n[0-9]*: $bytes 0x[0-9A-F]*: keep \(batch.c:" '... and places'
run memusage --pid="$pid" status
like "$out" "live, peak .* in all, $((500 + frees)) calls" '... and its status all calls'
exec 3>&- 4<&-
wait "$job"
same 'it has ended' "$pid" "$blocks" "$bytes" "$frees"

# Massif's clock of bytes: the series is that of each event by itself.
if command -v valgrind >/dev/null; then
	run memusage -q --massif --time-unit=B --max-snapshots=1000 --massif-out-file=ours batch exit 150
	valgrind -q --tool=massif --run-libc-freeres=no --time-unit=B --max-snapshots=1000 \
		--massif-out-file=theirs "$WORKLOADS/batch" exit 150 >/dev/null 2>&1
	series() { grep -E '^(time|mem_heap_B|mem_heap_extra_B)=' "$1"; }
	is "$(series ours)" "$(series theirs)" "Massif's series by bytes"
else
	skip "no valgrind: Massif's series by bytes"
fi
done_testing
