#!/bin/sh
# attach_serve.t -- a process that memusage has attached to is served by HTTP, and its profiles are
# pushed: with the program's own figures, and what it had before; a detach ends both, whatever clients
# do, and harms nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/serve.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need curl python3 mkfifo
need_bin memusage memusageprint memusageserve live pushed
need_attach
PATH=$WORKLOADS:$PATH

metric() { printf '%s\n' "$out" | sed -n "s/^memusage_$1{pid=\"$job\",process=\"live\"${2:-}} //p"; }
# attach_and_serve OPTION...: records $job; $at is where it is served
attach_and_serve() {
	attach "$job" --serve=127.0.0.1:0 -o report "$@" || bail "$(cat attach.err)"
	until_true is_served_in attach.err
}
# settled: what a program that goes on allocating leaves alone
settled() { state_of "$job" | grep -v '^[0-9a-f]*-\|^VmSize'; }
has_ended() { ! kill -0 "$server" 2>/dev/null; }
# left TEXT: a detach leaves nothing, neither here nor there
left() {
	server=$(pids memusageserve "$attacher")
	detach
	is "$status" 0 "$1: Ctrl-C ends the recording"
	ok '... and memusageserve' until_true has_ended
	settled >after
	same after before '... the process is as it was'
	ok '... without a trace' sh -c "! grep -q memfd:memusage /proc/$job/maps"
}

begin_live live
tell alloc 100 1000
settled >before

# ---- what is served ----------------------------------------------------------------------------

attach_and_serve --record=run.mur
get /metrics
is "$status" 200 'figures'
had=$(metric heap_bytes)
num "$had" -ge 100000 '... of what was there before'
tell alloc 5 3000
tell alloc 10 40
tell spike 7 300
get /metrics
is "$(metric heap_bytes)" $((had + 15400)) '... and of what has come since'
is "$(metric calls_total ',function="malloc"')" 22 '... calls are those since the attach'
is "$(metric calls_total ',function="free"')" 7 '... and frees'
profile /debug/pprof/heap
is "$status" 200 'a profile'
like "$out" "^sample keep:[0-9]+;.* 15 15400 15 15400 pid=$job\$" '... of what has come since'
like "$out" '^sample \[before the attach\][:;0-9]* .* pid=' '... and of what was there'
tell free 10
get /metrics
is "$(metric recording)" 1 'it is recorded'
num "$(metric heap_bytes)" -le $((had + 15400 - 10000)) 'old blocks are subtracted when they are freed'
run memusage --pid="$job" status
is "$status" 0 'memusage --pid answers beside that'
left 'served'
get /metrics
is "$status" 'curl 7' '... nobody listens there any more'
like "$(memusageprint --top run.mur)" '^ *14.6 KiB .* 5  keep|^ *15.0 KiB .* 15  keep' \
	'... and there is a recording'

# ---- clients that do not go ----------------------------------------------------------------------

attach_and_serve
tell alloc 2000 50
mkfifo hold
exec 5<>hold
python3 "$MU_SRC/tests/lib/rude_clients.py" "$at" deaf 3 /debug/pprof/heap <hold >deaf.out 3>&- 4<&- 5>&- &
deaf=$!
python3 "$MU_SRC/tests/lib/rude_clients.py" "$at" slow 2 >slow.out 3>&- 4<&- 5>&- &
slow=$!
until_true grep -q there deaf.out
until_true grep -q there slow.out
(exec 3>&- 4<&- 5>&- && get '/debug/pprof/heap?seconds=300') &
change=$!
has_kept() {
	server=$(pids memusageserve "$attacher")
	ls -l "/proc/$server/fd" | grep -q '(deleted)'
}
until_true has_kept
left 'clients that hang'
wait "$change"
like "$(cat headers)" '^HTTP/1.1 503 ' '... one that waits for an answer gets one'
like "$(cat body)" "the process is not recorded any more|process $job: is not recorded any more" \
	'... with the reason'
exec 5>&-
wait "$slow" "$deaf"
tell alloc 1 1
pass '... and the process works on'

# ---- one that ends ------------------------------------------------------------------------------

attach_and_serve
tell alloc 5 100
server=$(pids memusageserve "$attacher")
end
wait "$attacher"
is "$?" 0 'a process that ends while it is served'
ok '... ends memusageserve' until_true has_ended

# ---- what is pushed -----------------------------------------------------------------------------

if ! "$MU_SRC/tests/lib/push/python" -c 1 2>/dev/null || ! command -v protoc >/dev/null; then
	skip 'no protobuf for python3' 4
	done_testing
fi
# allocated: blocks and bytes that were pushed of what `keep` has allocated
allocated() {
	cat pushed/*.txt 2>/dev/null | sed -n '/^sample keep:/p' |
		awk '{ blocks += $3; bytes += $4 } END { print blocks + 0, bytes + 0 }'
}
has_pushed() { [ "$(allocated)" = "$1" ]; }
mkdir pushed
"$MU_SRC/tests/lib/push/python" "$MU_SRC/tests/lib/push/server.py" pyroscope 0 pushed 2>push.err &
taker=$!
until_true [ -s pushed/at ] || bail "no server: $(cat push.err)"
begin_live pushed
tell keep 100 10
attach "$job" --push="http://$(cat pushed/at)" --push-interval=200ms -o report --record=run.mur
tell keep 1000 5
ok 'what it allocates is pushed' until_true has_pushed '5 5000'
tell keep 10 3
detach
is "$status" 0 '... it is left'
ok '... and what came last is pushed, too' until_true has_pushed '8 5030'
tell keep 1 1
end
is "$?" 0 '... the process ends as alone'
kill "$taker"
wait "$taker" 2>/dev/null
done_testing
