#!/bin/sh
# serve_clients.t -- Whatever clients do to memusageserve, the program goes on, others are answered, and
# nothing is left open: many at once, slow, deaf, hasty and hostile ones.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/serve.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need curl python3
need_bin memusage memusageserve live
PATH=$WORKLOADS:$PATH
rude="$MU_SRC/tests/lib/rude_clients.py"

# A heap of 100 MB with 5,000 call stacks.
begin_live memusage -q --record=run.mur live
tell alloc 100000 1000
tell sites 5000
find_collector
begin_serve --pid="$pid" --serve=127.0.0.1:0
open_files() { find "/proc/$server/fd" -mindepth 1 | wc -l; }
before=$(open_files)

# ---- requests that are wrong

code() { # PATH [ARG...]: the status of HTTP
	get "$@"
	printf '%s' "$status"
}
is "$(code /debug/pprof/)" 200 'the list of requests'
like "$(cat body)" '/debug/pprof/allocs' '... names them'
is "$(code /nothing)" 404 'a path that is not there'
is "$(code /../../../../etc/passwd --path-as-is)" 404 'a path upward'
is "$(code /debug/pprof/heap/../../../../proc/self/environ --path-as-is)" 404 '... behind a good one'
is "$(code '/%2e%2e/%2e%2e/etc/passwd')" 404 '... with other characters'
is "$(code //etc/passwd --path-as-is)" 404 'a path of the machine'
is "$(code '/metrics%00x')" 404 'a path with a zero byte'
is "$(code '/debug/pprof/heap?pid=1%00')" 400 '... a number with one'
is "$(code '/%6detrics')" 200 'a path with an escape'
is "$(code /metrics -X POST -d x=1)" 405 'POST'
like "$(cat headers)" '^Allow: GET, HEAD' '... the others are named'
is "$(code /metrics -X DELETE)" 405 'DELETE'
is "$(code /metrics -X TRACE)" 405 'TRACE'
is "$(code /metrics -I)" 200 'HEAD'
is "$(wc -c <body)" "$(wc -c <headers)" '... has no body'
is "$(code '/debug/pprof/heap?seconds=x')" 400 'seconds that are no number'
is "$(code '/debug/pprof/heap?seconds=-1')" 400 '... below 0'
is "$(code '/debug/pprof/heap?seconds=99999999999999999999')" 400 '... too many'
is "$(code '/debug/pprof/heap?pid=0')" 400 'no process'
is "$(code '/debug/pprof/heap?other=1&debug=0')" 200 'an argument that is not known'
is "$(code /metrics -H "X-Long: $(printf %08000d 1)")" 200 'long headers'
is "$(code /metrics -H "X-Long: $(printf %040000d 1)")" 431 'headers that are too long'
raw() { printf '%b' "$1" | python3 "$rude" "$at" raw >body; }
raw 'nonsense\r\n\r\n'
unlike "$(head -n 1 body)" ' 200 ' 'what is no request'
raw '\0200\0001\0377\r\n\r\n'
unlike "$(tr -d '\000' <body | head -n 1)" ' 200 ' 'what is no text'
raw 'GET /metrics HTTP/1.0\r\n\r\n'
like "$(head -n 1 body)" ' 200 ' 'HTTP/1.0, without a host'
raw 'GET /metrics HTTP/1.1\r\n\r\n'
like "$(head -n 1 body)" ' 400 ' 'HTTP/1.1 without a host'
raw 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\nabc'
unlike "$(head -n 1 body)" ' 500 ' 'a body that does not come'

# ---- names of hosts

host() { is "$(code /metrics -H "Host: $1")" "$2" "host $1"; }
host "$at" 200
host localhost 200
host LOCALHOST:80 200
host '[::1]:80' 200
host 192.0.2.1 200
host rebound.example 403
host rebound.example:80 403
host localhost.rebound.example 403
host 127.0.0.1.rebound.example 403
host '127.0.0.1@rebound.example' 403
is "$(get /metrics -H 'Host: rebound.example' && grep -c memusage_heap body)" 0 '... without a figure'

# ---- many at once

for round in $(seq "$(attempts 1 3)"); do
	for i in 1 2 3 4 5 6 7 8; do
		(
			exec 3>&- 4<&-
			case $((i % 4)) in
			0) path=/metrics ;;
			1) path=/debug/pprof/heap ;;
			2) path='/debug/pprof/allocs?debug=1' ;;
			3) path=/ ;;
			esac
			curl -s -m 300 -o "many.$i" -w '%{http_code}\n' "http://$at$path" >"code.$i"
		) &
		clients="${clients:-} $!"
	done
	# shellcheck disable=SC2086  # words are wanted
	wait $clients
	clients=
	is "$(cat code.? | sort | uniq -c | tr -s ' ')" ' 8 200' "8 clients at once, round $round"
done
sum() { python3 "$MU_SRC/tests/lib/pprof.py" "$1" | awk '/^sample/ { s += $(NF - 1) } END { print s }'; }
is "$(sum many.1),$(sum many.5)" 100080000,100080000 '... each has the whole heap'
is "$(sed -n 's/^memusage_heap_bytes{.*} //p' many.4)" 100080000 '... and the same one'
is "$(sed -n 's/^heap profile: .*\[\(.*\)\].*/\1/p' many.2)" '105000: 100080000' '... as text, too'

# ---- other answers are under way: figures do not wait for them

for path in / /debug/pprof/heap; do
	until [ -e enough ]; do curl -s -m 300 -o /dev/null "http://$at$path"; done 3>&- 4<&- &
	clients="$clients $!"
done
are_stopped() {
	for worker in $(pids memusageserve "$server"); do kill -STOP "$worker" 2>/dev/null; done
	[ "$(for worker in $(pids memusageserve "$server"); do cat "/proc/$worker/status"; done 2>/dev/null |
		grep -c '^State:.*stopped')" = 2 ]
}
until_true are_stopped
is "$(code /metrics)" 200 'figures do not wait for two answers that take long'
: >enough
for worker in $(pids memusageserve "$server"); do kill -CONT "$worker"; done
# shellcheck disable=SC2086  # words are wanted
wait $clients
clients=

# ---- a CPU that is full: figures have the priority of the server, other answers a lower one

priority() { awk '{ print $19 }' "/proc/$1/stat"; }
is_set_up() { # the worker waits for the collector
	worker=$(pids memusageserve "$server")
	[ -n "$worker" ] && [ "$(cat "/proc/$worker/oom_score_adj")" = 1000 ]
}
own=$(priority "$server")
is_given() { # PRIORITY PATH
	kill -STOP "$collector"
	curl -s -m 300 -o /dev/null "http://$at$2" 3>&- 4<&- &
	clients=$!
	until_true is_set_up
	given=$(priority "$worker")
	kill -CONT "$collector"
	wait "$clients"
	clients=
	[ "$given" = "$1" ]
}
# Twice a second at most: an earlier one may have been just now. until_true does not nest.
tries=100
until is_given "$own" /metrics || [ $((tries -= 1)) -eq 0 ]; do sleep 0.1; done
is "$given" "$own" 'figures come as soon as the server'
is_given $((own < 9 ? own + 10 : 19)) /debug/pprof/heap
is "$given" $((own < 9 ? own + 10 : 19)) 'profiles later'

# ---- another run of the same user, whose collector is stopped, delays no answer

memusage -q -o /dev/null sleep 600 2>/dev/null 3>&- 4<&- &
other=$!
has_program_and_collector() {
	other_collector=$(pids memusage-collec "$other") other_program=$(pids sleep "$other")
	[ -n "$other_collector" ] && [ -n "$other_program" ]
}
until_true has_program_and_collector
kill -STOP "$other_collector"
# Who waits for that one waits for 10 s and more.
answers_soon() { [ "$(curl -s -m 9 -o /dev/null -w '%{http_code}' "http://$at/metrics")" = 200 ]; }
ok 'the stopped collector of another run delays no answer' until_true answers_soon
kill -CONT "$other_collector"
kill "$other_program"
wait "$other"

# ---- clients that leave

python3 "$rude" "$at" hasty "$(attempts 10 30)" /debug/pprof/heap
python3 "$rude" "$at" hasty "$(attempts 5 10)" '/debug/pprof/heap?debug=1'
python3 "$rude" "$at" hasty "$(attempts 5 10)" /
is "$(code /metrics)" 200 'after clients that left in the middle of their answer'

# ---- clients that leave before there is an answer: each place is free at once

python3 "$rude" "$at" gone 64 '/debug/pprof/heap?seconds=600'
is "$(code /metrics -m 20)" 200 'after 64 clients that left while they waited for an answer in 10 minutes'
python3 "$rude" "$at" gone 5 '/debug/pprof/heap?seconds=3'
is "$(code '/debug/pprof/heap?seconds=3')" 200 'one that asks for the same as some that left'
python3 "$rude" "$at" half /metrics >body
like "$(head -n 1 body)" ' 200 ' 'one that ends its sending after a request is answered'

# ---- clients that do not read, and a server that is stopped: the program never waits

mkfifo deaf.in deaf.out
python3 "$rude" "$at" deaf 8 '/debug/pprof/heap?debug=1' <deaf.in >deaf.out 3>&- 4<&- &
deaf=$!
exec 5>deaf.in 6<deaf.out
read -r word <&6
is "$word" there '8 clients that do not read'
is "$(code /metrics)" 200 '... others are answered'
tell busy 50 100
tell alloc 100000 100
pass '... the program goes on'
kill -STOP "$server"
for worker in $(pids memusageserve "$server"); do kill -STOP "$worker"; done
tell spike 100000 100
tell sites 5000
tell free 100000
pass '... also while the server is stopped'
kill -CONT "$server"
for worker in $(pids memusageserve "$server"); do kill -CONT "$worker"; done
is "$(code /metrics)" 200 '... which then goes on'
# A thread has blocks of the C library, too.
is "$(sed -n 's/^memusage_heap_bytes{.*} \(....\).*/\1/p' body)" 1016 '... with what has happened meanwhile'
exec 5>&- 6<&-
wait "$deaf"

# ---- slow ones: a time for the whole request

mkfifo slow.out
python3 "$rude" "$at" slow 64 >slow.out 3>&- 4<&- &
slow=$!
exec 6<slow.out
read -r word <&6
is "$word" there '64 clients that send a byte now and then'
answers() { [ "$(code /metrics)" = 200 ]; }
ok '... do not keep others out' until_true answers
read -r word <&6
is "$word" ended '... and are ended, all of them'
exec 6<&-
wait "$slow"

# ---- as many as there may be, who leave while the server does something else

mkfifo idle.in idle.out
python3 "$rude" "$at" idle 64 <idle.in >idle.out 3>&- 4<&- &
idle=$!
exec 5>idle.in 6<idle.out
read -r word <&6
is "$word" there '64 clients that ask for nothing'
are_accepted() { [ "$(open_files)" -ge $((before + 64)) ]; }
ok '... all of which it has accepted' until_true are_accepted
kill -STOP "$server"
exec 5>&- 6<&-
wait "$idle"
kill -CONT "$server"
is "$(code /metrics)" 200 '... leave at once, and others are answered'

# ---- nothing is left

is_as_before() { [ "$(open_files)" -le "$before" ]; }
ok 'no file is left open' until_true is_as_before
is "$(pids memusageserve "$server")" '' 'nor a process'
end
wait "$server"
is "$?" 0 'the end'
done_testing
