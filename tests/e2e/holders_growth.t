#!/bin/sh
# holders_growth.t -- memusage --holders with snapshots: what holds the blocks is examined at each,
# and what grew since the first is listed; also of a program that is killed.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
need_libdw
command -v jq >/dev/null || skip_all "jq is not installed"
PATH=$WORKLOADS:$PATH

# start OPTIONS: run it recorded; it grows with each line
start() {
	rm -f in printed kept.mur s.*
	mkfifo in
	memusage -o report --holders --record=kept.mur --snapshot-signal=USR2 \
		--snapshot-file='s.%n' "$@" holder_growth <in >printed &
	job=$!
	exec 9>in
	until_true grep -q ready printed
	find_collector
	pid=$(pids holder_growth "$launcher")
}
# snapshot N: the Nth one, with its file; then no examiner or printer works any more
snapshot() {
	kill -USR2 "$pid"
	until_true test -s "s.$1" && until_true is_idle
}
is_idle() {
	[ -z "$(cat /proc/"$collector"/task/*/children)" ]
}
# grow N: until it has grown N times
grow() {
	echo >&9
	until_true has_grown "$1"
}
has_grown() {
	[ "$(grep -c grown printed)" = "$1" ]
}
# retained NAME: bytes that a global variable retains, at each moment
retained() {
	memusageprint --to=json kept.mur | jq -c --arg name "$1" '[.holders[] | . as $h | .retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.root != null and
			$h.roots[$r.root].name == $name) | $t[$i].bytes] | add // 0]'
}

round=$((100 * (16 + 1000)))
start
ok 'a first snapshot' snapshot 1
grow 1
ok 'a second one' snapshot 2
grow 2
exec 9>&-
wait $job
is $? 0 'the program is unharmed'
is "$(retained list)" "[$round,$((2 * round)),$((3 * round))]" 'both moments and the end are kept'
is "$(retained table)" '[500000,500000,500000]' '... with what does not grow'
is "$(retained first_aid)" '[20000,0,0]' '... and what was freed'
is "$(memusageprint --to=json kept.mur | jq -c '[.holders[].at_end]')" '[false,false,true]' \
	'the last one is the end'
gains=$(sed -n '/^The live heap is/,/^Others/p' report)
like "$gains" '^The live heap is 179 KiB larger than .* after the start' 'the report has the sum'
like "$gains" '^ *198 KiB *[0-9.]*% *\+400  list in holder_growth$' '... what holds more'
like "$gains" '^ *195 KiB *[0-9.]*% *\+200  *300 x append_entries \(holder_growth' '... and the way to it'
unlike "$gains" 'table|first_aid' '... nothing else'
like "$gains" '^Others hold 19.5 KiB less' '... and what was freed'
run memusageprint --holders kept.mur
like "$out" 'larger than .* after the start' 'so does memusageprint'

start --snapshot=stop
snapshot 1
grow 1
snapshot 2
kill -9 "$pid"
exec 9>&-
wait $job
is $? 137 'a killed program'
like "$(cat report)" '^ *99.2 KiB .*\+200  list in holder_growth' '... has what grew until its last snapshot'
like "$(cat report)" 'examined .* after its start, and not at its end' '... and says of when it is'

# ---- two times that a client asks ---------------------------------------------------------------

rm -f in kept.mur
mkfifo in
memusage -q -o whole --top holder_growth <in >printed &
launcher=$!
exec 9>in
until_true grep -q ready printed
run memusage --pid=$launcher holders
is "$status,$err" '0,' 'a client asks'
unlike "$out" 'The live heap is' '... and there is nothing to compare with'
grow 1
run memusage --pid=$launcher holders
like "$out" '^The live heap is 79.7 KiB larger than .* after the start, when it was examined before:$' \
	'it asks again: what has changed since'
like "$out" '^ *99.2 KiB *[0-9.]*% *\+200  list in holder_growth$' '... what holds more'
like "$out" '^ *97.7 KiB *[0-9.]*% *\+100  *200 x append_entries \(holder_growth' '... with the way to it'
like "$out" '^Others hold 19.5 KiB less' '... and what was freed'
run memusage --pid=$launcher holders kept.mur
is "$status" 0 'a third time, with a file'
is "$(retained list)" "[$((2 * round)),$((2 * round))]" '... which has the time before, and now'
run memusageprint --holders kept.mur
like "$out" '^The live heap is as large as .* when it was examined before:$' '... when nothing has changed'
like "$out" '^nothing holds much more$' '... and nothing holds more'
exec 9>&-
wait $launcher
is $? 0 'the program is unharmed'

rm -f s.*
run memusage -o report --holders --snapshot-when='blocks>1' --snapshot-file='s.%n' sh -c \
	'holder_growth </dev/null; exec holder_growth </dev/null'
is "$status" 0 'two processes, each with a snapshot at once before it ends'
unlike "$(cat report) $err" 'could not be examined' '... which do not disturb each other'
done_testing
