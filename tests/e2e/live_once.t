#!/bin/sh
# live_once.t -- memusage --pid=PID live --once prints what grew, where and how fast, as the program
# itself says; what cannot be shown is refused with the way out.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint live
PATH=$WORKLOADS:$PATH
need_libdw

ask() { run memusage "--pid=$pid" "$@"; }

begin_live memusage -q --record=run.mur live
tell alloc 10 1000
find_collector
ask live --once
is "$status,$err" 0, 'once'
is "$(printf '%s\n' "$out" | sed -n 1p)" live 'the first line is the command'
like "$out" "^process $pid   " '... the second the process'
like "$out" '^heap 9\.77 KiB   peak 9\.77 KiB' 'figures'
like "$out" '^ *9\.77 KiB  9\.77 KiB        10         0         0  keep \(live\.c\)$' 'the place'
unlike "$out" "$(printf '[\001-\011\013-\037]')" 'no control characters'
run memusage --group=line "--pid=$pid" live --once
like "$out" '  keep \(live\.c:[0-9]+\)$' '--group: by line'
run memusage --grep=nothing "--pid=$pid" live --once
like "$out" 'Nothing has the text of the filter' '--grep: a filter'
tell alloc 3 1000
tell free 13
ask --once live
is "$status" 0 '--once may stand before the command'
like "$out" '^ *0 B  12\.7 KiB         0         0         0  keep' 'what is freed is not live'
figures=$out
ask status
is "$(printf '%s\n' "$figures" | awk '/^heap/ { print $2 $3, $5 $6, $(NF - 3) $(NF - 2), $(NF - 1) }')" \
	"$(printf '%s\n' "$out" | awk '/^heap:/ { print $2 $3, $6 $7, $8 $9, $(NF - 1) }' | tr -d ,)" \
	'the figures are those of status'
ask leaks
like "$out" '^nothing was live now' '... and of leaks'
ask mark
tell alloc 2 1000
ask live --once
like "$out" 'since the mark [0-9.]+ m?s ago' 'changes count from a mark'
like "$out" '^ *1\.95 KiB  14\.6 KiB         2         0 \+1\.95 KiB  keep' '... of --pid=PID mark'
tell free 2
tell threads 3
ask live --once
like "$out" '   4 threads   ' 'threads'
kill -STOP "$pid"
ask live --once
kill -CONT "$pid"
like "$out" '^STOPPED by a signal' 'a stopped process is shown, and said to be'

# ---- what can be typed wrong

ask live --twice
is "$status" 125 'an unknown operand'
ask top --once
like "$err" 'once is for the command live' '--once is for live'
run memusage --once live
like "$err" 'once is for a process that runs: memusage --pid=PID live --once' '... of a process'
run memusage --live "--pid=$pid"
like "$err" 'live starts a program: with --pid=[0-9]+ give the command live' '--live is not for --pid'
run memusage --live --mode=ad-hoc live
is "$status" 125 'nor for ad hoc events'
if command -v setsid >/dev/null; then
	run setsid -w memusage "--pid=$pid" live
	is "$status" 125 'without a terminal'
	like "$err" '(there is no terminal|this build has no live view).*--once' '... --once is the way out'
	run setsid -w memusage --live live
	is "$status" 125 '--live needs a terminal, too'
	like "$err" 'live shows a view in the terminal, and there is none' '... before the program runs'
else
	skip 'no setsid here' 4
fi
end
run memusage "--pid=$pid" live --once
is "$status" 125 'a process that is gone'

begin_live memusage -q -o /dev/null live
tell alloc 3 100
find_collector
ask live --once
like "$out" '^heap 300 B ' 'without call stacks there are figures'
like "$out" 'No call stacks are recorded.*--live, --record or --top' '... and the way to places'
end

# ---- samples: estimates have their bounds

begin_live memusage -q --sample=1K --record=sampled.mur live
tell alloc 2000 100
find_collector
ask live --once
like "$out" '^heap [0-9.]+ KiB [-+0-9. ]*   peak [0-9.]+ KiB [-+][-+0-9. ]*' 'the heap and its bounds'
like "$out" '^ *>live 95 %  ' '... which have a column'
like "$out" '^ *[0-9.]+ KiB \+- [0-9.]+ .* keep \(live\.c\)$' '... of each place'
printf '%s\n' "$out" | awk '/keep \(live/ { sub(/\+- /, ""); print ($1 - $3) * 1024, ($1 + $3) * 1024 }' >range
read -r low high <range
num "${low%.*}" -le 215000 'the truth is not below them, but for one run in a thousand'
num "${high%.*}" -ge 185000 '... nor above'
ask status >/dev/null
tell free 2000
ask live --once
like "$out" '^ *0 B \+3\.69 KiB .* keep' 'nothing was sampled of what may be there'
tell alloc 1 1000000
ask live --once
like "$out" "^ *977 KiB -0 \\+4  .* keep" "a large block is exact, and no more is there than never seen"
end

# ---- several processes: the one that was asked for is shown

memusage -q --record=two.mur sh -c 'swelling 100000 50 >/dev/null 2>&1 & live; kill $!; true' <in >out 2>err &
job=$!
exec 3>in 4<out
tell alloc 1 5000
launcher=$(pids memusage "$job")
launcher=${launcher:-$job}
main=$(pids sh "$launcher")
has_grown() {
	pid=$(pids swelling "$main") && ask live --once &&
		printf '%s\n' "$out" | grep -q '^ *[0-9.]* KiB .* +[0-9.]* KiB *+[0-9.]* KiB  put_entry (swelling\.c'
}
ok 'another process of the run grows' until_true has_grown
like "$out" 'fill_pool \(swelling\.c\)' '... and has all of its places'
exec 3>&- 4<&-
wait "$job"
done_testing
