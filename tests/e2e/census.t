#!/bin/sh
# census.t -- memusage --pid=PID census counts the blocks of a process that nothing records, to the
# byte, and changes nothing in it; what it cannot read it says.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage heaps attached live
need mkfifo python3
need_tracing
PATH=$WORKLOADS:$PATH

# order WORD...: tells the program; what it answers is in $answer
order() {
	echo "$*" >&3
	read -r answer <&4
}
# said KEY: of the last answer
said() { echo " $answer" | sed "s/.* $1=\([0-9]*\).*/\1/"; }
# census: of $job, in census.json
census() { run memusage --pid="$job" -q census census.json; }
# get EXPRESSION: of the JSON, as `d`
get() { python3 -c "import json; d = json.load(open('census.json')); print($1)"; }
# malloc's own sum has headers, what threads keep, and the structures of caches and arenas, which
# became others with glibc 2.35 and 2.42
in_use='sum(a[k]["bytes"] + 8 * a[k]["blocks"] for a in d["arenas"] for k in ("used", "cached")) + \
(lambda of_cache, of_arena: of_cache * d["caches"] + of_arena * (len(d["arenas"]) - 1))( \
*((lambda minor: (656, 2240) if minor < 35 else (656, 2256) if minor < 42 else (768, 2160))( \
int(d["allocator"].split(".")[1]))))'

# ---- known truth ---------------------------------------------------------------------------------

begin_live heaps
order tell
census
is "$status" 0 'a first census, before any free()' || diag "$err"
base_blocks=$(get 'd["used"]["blocks"]') base_bytes=$(get 'd["used"]["bytes"]')
# 30 blocks are freed, which threads keep; 8 of 1000 bytes go to the list of free blocks.
order make 0 1000 24
order make 1 500 1000
order make 2 300 100
order make 3 1 5000000
order make 0 1 300000
order align 2 200000
order free 0 30
order make 0 20 1001
order realloc 1 5 77
order items 7
order make 3 1 400000
order enlarge 3 7000000
state_of "$job" >before
census
is "$status" 0 'a census'
is "$(($(get 'd["used"]["blocks"]') - base_blocks))" "$(said kept)" 'all blocks are counted'
is "$(($(get 'd["used"]["bytes"]') - base_bytes))" "$(said usable)" '... to the byte'
is "$(get "$in_use")" "$(said uordblks)" 'the sum is what malloc says'
is "$(get 'd["mapped"]["blocks"]')" "$(said hblks)" 'mapped blocks'
is "$(get 'd["mapped_is_exact"]')" True '... which were all found'
is "$(get 'len(d["arenas"])')" 4 'arenas'
is "$(get 'sum(s["used"]["bytes"] for s in d["sizes"]) - d["used"]["bytes"]')" 0 \
	'the sizes are all of it'
is "$(get '[s["used"]["blocks"] for s in d["sizes"] if s["most"] == 112]')" '[300]' \
	'blocks of a size, in another arena'
is "$(get '[(c["name"], c["blocks"]) for c in d["classes"]]')" "[('shop::Special', 7), ('Item', 7)]" \
	'classes'
order tell
census
is "$(get "$in_use")" "$(said uordblks)" 'nothing has moved'
state_of "$job" >after
same after before '... the process is as it was'

run memusage --pid="$job" -v census
is "$status" 0 'as text'
like "$out" "^Process $job \(heaps\): blocks of glibc 2\.[0-9]*'s malloc" '... of which process'
like "$out" '8,[0-9]* B|[0-9.]+ MiB +[0-9,]+  in use' '... the sum'
like "$out" '700 B +7  shop::Special|[0-9]+ B +7  shop::Special' '... a class'
like "$err" "its 4 threads stood for [0-9.]+ (us|ms|s)" '-v tells the pause'
run memusage --pid="$job" census there.txt
like "$(cat there.txt)" "malloc" '... into a file'
run memusage --pid="$job" top
like "$out" "memusage --pid=$job census" 'a process that is not recorded: census is named'
end

# ---- while it runs -------------------------------------------------------------------------------

rm -f input
mkfifo input
attached blocks 4 <input >output &
job=$!
exec 3>input
until_true grep -q ready output
times=0
for _ in 1 2 3 4 5; do
	census
	[ "$status" = 0 ] && times=$((times + 1))
done
is "$times" 5 'a process that is always inside malloc'
exec 3>&-
wait "$job"
is "$?" 0 '... has not noticed'
like "$(tail -1 output)" 'bad=0$' '... anything'

begin_live memusage -q --record=live.mur live
tell alloc 50 1000
find_collector
job_of_memusage=$job
job=$pid
rm census.json
census
is "$(get '[s["used"]["blocks"] for s in d["sizes"] if s["most"] == 1008]')" '[50]' \
	'a process that is recorded'
job=$job_of_memusage
end

# ---- refusals ------------------------------------------------------------------------------------

run memusage --pid=1999999999 census
is "$status" 125 'a process that does not exist'
other=
[ -n "${MU_WORKLOADS:-}" ] || other=$(find /usr/lib -name 'libjemalloc.so.2' 2>/dev/null | head -1)
if [ -n "$other" ]; then
	begin_live env LD_PRELOAD="$other" heaps
	order tell
	census
	is "$status" 125 'another malloc'
	like "$err" "its malloc is that of libjemalloc.so.2.*memusage --attach=$job" \
		'... is named, with the way out'
	end
else
	skip 'no jemalloc here' 2
fi
if [ -n "${MU_WORKLOADS:-}" ]; then
	skip 'the programs need root to start' 4
elif has_users; then
	begin_live heaps
	order tell
	run as_user memusage --pid="$job" census
	is "$status" 125 "another user's process"
	like "$err" 'belongs to another user' '... says why'
	end
	begin_live as_user heaps
	order make 0 1 24
	order make 1 1000 24
	shell=$job
	job=$(pids heaps "$shell")
	census
	is "$status" 0 'root reads the process of a user'
	is "$(get 'len(d["arenas"])')" 2 '... as that user'
	job=$shell
	end
else
	skip "$no_users" 4
fi
done_testing
