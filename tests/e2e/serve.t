#!/bin/sh
# serve.t -- memusageserve answers by HTTP with the profiles, the figures and the page of processes
# that run: those that the program itself says, at the moment of the request.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/serve.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need curl python3
need_bin memusage memusageserve live
need_libdw
PATH=$WORKLOADS:$PATH

begin_live memusage -q --record=run.mur live
tell alloc 10 1000
tell alloc 5 3000
tell free 4
find_collector
begin_serve --pid="$pid" --serve=127.0.0.1:0
like "$at" '^127\.0\.0\.1:[1-9][0-9]*$' 'it says which port is served'

# ---- profiles

profile /debug/pprof/heap
is "$status" 200 'heap'
like "$headers" '^Content-Type: application/octet-stream$' 'its type'
like "$headers" '^Content-Disposition: attachment; filename="heap"$' 'its name'
like "$out" '^types alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes$' \
	'the values are those of programs in Go'
like "$out" '^default inuse_space comment live' 'what is live is shown first'
like "$out" "^sample keep:[0-9]+;obey:[0-9]+.main:[0-9]+ 15 25000 11 21000 pid=$pid\$" \
	'a place with its values'
profile /debug/pprof/allocs
like "$out" '^default alloc_space ' 'allocs: what was ever allocated is shown first'
like "$out" ' 15 25000 11 21000 pid=' '... the values are the same'
get '/debug/pprof/heap?debug=1'
is "$status" 200 'debug=1'
like "$headers" '^Content-Type: text/plain' 'is text'
like "$out" '^heap profile: 11: 21000 \[15: 25000\] @ heapprofile$' 'its sums'
like "$out" '^11: 21000 \[15: 25000\] @( 0x[0-9a-f]+)+$' 'its places'
like "$out" '^#	0x[0-9a-f]+	keep	.*live\.c:[0-9]+$' 'with names'
tell alloc 1 500
profile /debug/pprof/heap
like "$out" ' 16 25500 12 21500 pid=' 'the next answer is of then'

# ---- changes

(exec 3>&- 4<&- && get '/debug/pprof/heap?seconds=2') &
change=$!
# It has a nameless file with the state, and nobody who writes it any more.
has_kept() { ls -l "/proc/$server/fd" | grep -q '(deleted)' && [ -z "$(pids memusageserve "$server")" ]; }
until_true has_kept
tell alloc 3 700
tell free 5
wait $change
out=$(python3 "$MU_SRC/tests/lib/pprof.py" body 2>&1)
is "$(printf '%s\n' "$out" | grep -c ^sample)" 1 'seconds=2: only what has changed'
like "$out" ' 3 2100 -2 -2900 pid=' '... by so much'

# ---- figures

get /metrics
is "$status" 200 'metrics'
like "$headers" '^Content-Type: text/plain; version=0\.0\.4' "Prometheus' form"
metric() { printf '%s\n' "$out" | sed -n "s/^memusage_$1{pid=\"$pid\",process=\"live\"${2:-}} //p"; }
is "$(metric heap_bytes)" 18600 'live bytes'
is "$(metric heap_blocks)" 10 'live blocks'
is "$(metric heap_peak_bytes)" 25000 'their peak'
is "$(metric requested_bytes_total)" 27600 'bytes in all'
is "$(metric calls_total ',function="malloc"')" 19 'calls of malloc'
is "$(metric calls_total ',function="free"')" 9 'calls of free'
is "$(metric recording)" 1 'it is recorded'
num "$(metric resident_bytes)" -gt 100000 'resident memory'
num "$(metric recorder_bytes)" -gt 10000 "the recorder's memory"
is "$(metric heap_low_bytes)" '' 'no bounds where all is exact'
get /metrics -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
like "$headers" '^Content-Type: application/openmetrics-text; version=1\.0\.0' 'OpenMetrics'
is "$(printf '%s\n' "$out" | tail -n 1)" '# EOF' 'has an end'
like "$out" '^# TYPE memusage_requested_bytes counter$' '... and families without _total'
like "$out" '^# UNIT memusage_heap_bytes bytes$' '... and units'
is "$(metric heap_bytes)" 18600 '... and the same figures'

# ---- the page

if [ -s "$MU_BUILD/page/template.html" ]; then
	get '/?refresh=7'
	is "$status" 200 'the page'
	like "$headers" '^Content-Type: text/html' 'is HTML'
	like "$headers" '^Refresh: 7$' 'and is loaded again'
	ok 'with the data' grep -q '"peak":25000' body
else
	get /
	like "$status $out" '^501 memusage was built without the HTML page' 'no page was built'
	skip 'the page was not built' 3
fi

# A snapshot of a peak that is no longer the highest is there, too.
if [ -s "$MU_BUILD/page/template.html" ] && command -v node >/dev/null; then
	tell alloc 200 1000
	get /
	is "$(node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" body peak)" 'the end 213 KiB' \
		'the peak of a heap that grows is now'
else
	skip 'the page was not built, or no node'
fi

# ---- a change of frees alone

get '/debug/pprof/heap?seconds=2' &
change=$!
until_true has_kept
tell free 1
wait $change
out=$(python3 "$MU_SRC/tests/lib/pprof.py" body 2>&1)
like "$out" ' 0 0 -1 -[1-9][0-9]* pid=' 'a change of a place at which blocks were only freed'

# ---- no room for a file

first=$server first_at=$at
TMPDIR=/nonexistent begin_serve --pid="$pid" --serve=127.0.0.1:0
get '/debug/pprof/heap?seconds=1'
is "$status" 503 'a change that cannot be kept has an answer at once'
like "$out" '^there are too few resources' 'with the reason'
get /debug/pprof/heap?debug=1
isnt "$status" "curl 28" 'other requests have one'
end_serve
server=$first at=$first_at

# ---- the end

end
wait "$server"
is "$?" 0 'it ends with the run'
done_testing
