#!/bin/sh
# live_reports.t -- memusage --pid=PID answers at once with the reports of a finished run, about now:
# whatever the process does meanwhile, the sum of its places is its heap, within what it says.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint memusagestat live ends
PATH=$WORKLOADS:$PATH

start() {
	begin_live memusage -q "$@" live
	tell alloc 10 1000
	find_collector
}
ask() { run memusage "--pid=$pid" "$@"; }
# difference FILE: of the recording's heap and the sum of its places
difference() {
	memusageprint --to=json "$1" | awk '
	/^"heap":/ { sub(/.*"now":/, ""); sub(/,.*/, ""); now = $0 }
	/"live_bytes":/ { sub(/.*"live_bytes":/, ""); sub(/,.*/, ""); sum += $0 }
	END { d = now - sum; printf "%d\n", d < 0 ? -d : d }'
}
# samples FILE: how many, and the heap at the last
samples() {
	memusageprint --to=json "$1" | awk '
	/"rss_shmem":/ { n++; sub(/.*"heap":/, ""); sub(/,.*/, ""); last = $0 }
	END { print n + 0, last }'
}
# says_how_exact: what is said of a copy of a process that did not stand still
says_how_exact() {
	printf '%s\n' "$err" >&2
	! printf '%s\n' "$err" | sed 's/^memusage: process [0-9]*: //' | grep -qvE -e '^$' \
		-e '^it kept running meanwhile: figures are exact to within [0-9.]+ [KM]?i?B$' \
		-e '^figures lack ([2-9] calls|1 call) that were not finished$'
}
# bound: the bytes that "exact to within ..." allows, 0 without it
bound() {
	printf '%s\n' "$err" | awk '
	/exact to within/ { size = $(NF - 1); unit = $NF }
	END { printf "%d\n", 1.01 * size * (unit == "KiB" ? 1024 : unit == "MiB" ? 1048576 : 1) }'
}

# ---- a process that waits

start --record=run.mur
ask top
is "$status,$err" 0, 'top'
like "$(printf '%s\n' "$out" | sed -n 1p)" "^process $pid, live, .* after its start, while it runs:\$" \
	'... says when'
like "$out" '^keep \(live\.c:[0-9]*\) allocated 100\.0% of the 9\.77 KiB live when the heap was' \
	'... and who'
like "$out" 'called by obey .live\.c' '... with callers'
like "$out" 'of memory at most, [0-9.]+ s after the start' '... and the memory that the kernel sees'
same=$out
ask --top
is "$(printf '%s\n' "$out" | sed 1d)" "$(printf '%s\n' "$same" | sed 1d)" '--top is the same'
tell free 4
ask leaks
like "$out" '^keep .* 100\.0% of the 5\.86 KiB live now$' 'leaks: what is live now'
ask top 1
like "$out" '9\.77 KiB live when' 'the peak stays the peak'
ask tree
like "$out" '^ *9\.77 KiB 100\.0%  keep' 'tree'
ask --group=object top
like "$out" '/live allocated 100\.0% of' '--group is passed on'
ask --grep=nothing_like_it top
unlike "$out" 'keep' '... so is --grep'
ask --grep=keep tree
like "$out" ' keep' '... which keeps what matches'
ask --runtime-frames=show leaks
like "$out" '^that called malloc or the like' '... and --runtime-frames'
ask growth start..now
like "$out" '^keep .* grew by 5\.86 KiB from the start to now \([0-9.]* m?s\): 100\.0% of all' 'growth'
ask growth
like "$out" '(grew|nothing grew).* to now' '... of the second half of the run'
ask growth nonsense
is "$status" 125 '... from an unknown moment is an error'
like "$err" '^memusageprint: growth: no mark is called "nonsense", and it is neither start' '... of the command'
for operand in 0 abc 9999999; do
	ask leaks $operand
	is "$status:$out:$err" "125::memusage: leaks: '$operand' is not a number of places: say $(:
		)memusage --pid=$pid leaks 5, or leaks alone for 10" "leaks $operand"
done
ask top=3
is "$status:$out:$err" "125::memusage: unknown command top=3: give its operand as a word of its own: top 3" 'top=3'
ask plot=3
like "$err" '^memusage: unknown command plot=3' '... of a command without an operand'
ask temporary
like "$out" 'nothing was temporary' 'temporary'
ask plot
like "$out" 'heap peak: 9\.77 KiB' 'plot'
ask mark one
like "$status $err" '^0 .*it is idle; mark one is set before its next call' 'a mark of a process that waits'
ask mark two
like "$status $err" '^125 .*is idle: it will serve the last mark before' '... can be only one'
ask stop
is "$status" 125 '... and no other request takes its place'
ask leaks
like "$err" 'has been idle since its last mark' '... is not set yet'
tell alloc 1 100
sleep 0.3
tell alloc 20 1000
ask growth one
like "$out" '^keep .* grew by 19\.[56] KiB from one \([0-9.]+ m?s\) to now' '... and then a moment for growth'
ask growth one..one
like "$out" '^nothing grew from one' '... and its end'
ask mark "$(printf %064d 0)"
is "$status" 125 'a name may be too long'
tell free 21
ask record now.mur
is "$status,$err" "0,memusage: record of process $pid: now.mur" 'record'
is "$(difference now.mur)" 0 '... its places are its heap'
is "$(stat -c %a now.mur)" 600 '... for its owner only'
like "$(memusageprint --marks now.mur)" ' 5\.86 KiB  one$' '... it has the mark'
run memusageprint --leaks now.mur
like "$out" '5\.86 KiB live now$' '... memusageprint takes it'
run samples now.mur
num "${out%% *}" -ge 2 '... it has the timeline until now'
is "${out##* }" 6000 '... whose last sample is of now'
run memusageprint --dhat now.mur
is "$status" 0 '... for other reports, too'
run memusagestat now.mur now.png
is "$status" 0 '... and memusagestat'
ask record
ok 'without a name it has the ID of the process' test -s "memusage.$pid.mur"
ask --record=%p.mur
ok '--record is the same' test -s "$pid.mur"
run memusagestat --html=one.html now.mur
if [ "$status" = 0 ]; then
	ask html now.html
	is "$status" 0 'html'
	num "$(grep -c '"keep"' now.html)" -ge 1 '... is a page with the places'
	is "$(stat -c %a now.html)" 600 '... for its owner only'
else
	skip 'built without the page' 3
fi
run memusage "--pid=$launcher" leaks
like "$out" "^process $pid, live" 'the process of memusage itself stands for its program'

# ---- what can be typed wrong

ask tpo
like "$err" 'unknown command tpo: did you mean top\?' 'a mistyped command gets a suggestion'
ask t
like "$err" 't is ambiguous: it can mean top, tree or temporary' 'a prefix must be unique'
ask top x
is "$status" 125 'a number that is none'
ask tree 3
like "$err" 'tree takes no operand' 'an operand too many'
ask html
like "$err" 'html: which file' 'a file too few'
ask --top status
like "$err" 'top and the command status: give one' 'an option and a command'
ask --top --leaks
like "$err" 'top and --leaks: give one' 'two options'
ask html /nonexistent/page.html
is "$status" 125 'a file that cannot be written'
like "$err" 'nonexistent' '... is named'

# ---- a process that is stopped, has many threads, is busy

kill -STOP "$pid"
ask leaks
kill -CONT "$pid"
like "$out" '5\.86 KiB live now$' 'a stopped process is answered for'
tell threads 1000
ask record threads.mur
is "$status" 0 'a thousand threads'
is "$(difference threads.mur)" 0 '... every byte is known'
ask leaks
like "$out" '^ *97[67] KiB .* 1,000  hold' '... of each of them'
tell busy 0 3000
tell busy 0 5000
i=0 wrong=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	ask record busy.mur
	[ "$status" = 0 ] || wrong=$((wrong + 1))
	# Each of two threads may be in the middle of an event.
	[ "$(difference busy.mur)" -le $(($(bound) + 8000)) ] || {
		wrong=$((wrong + 1))
		diag "difference $(difference busy.mur): $err"
	}
done
is $wrong 0 'ten copies while threads allocate'
ask top
ok '... say how exact' says_how_exact
end
run memusage "--pid=$pid" top
is "$status" 125 'a process that is gone'
is "$(memusageprint --to=json run.mur | grep -c '"format"')" 1 'the recording of the run is whole'

# ---- processes that end, and have none

# More than 15 until some were seen: a busy machine may find none of those.
memusage -q --record=ends.mur sh -c 'i=0
	while [ $i -lt 15 ] || [ $i -lt 500 ] && [ ! -e seen ]; do
		i=$((i + 1))
		sleep 0.2 | live
	done' >/dev/null &
job=$!
bad=0 tried=0
while kill -0 $job 2>/dev/null; do
	for one in $(pids live); do
		run memusage -q "--pid=$one" record gone.mur
		tried=$((tried + 1))
		: >seen
		case $status in 0 | 125) ;; *) bad=$((bad + 1)) diag "$status $err" ;; esac
	done
done
wait $job
num $tried -ge 1 'processes were copied at their end'
is $bad 0 'a process may end while it is copied'
begin_live memusage -q -o /dev/null live
tell alloc 3 100
find_collector
ask top
is "$status" 125 'without call stacks there are no places'
like "$err" 'no call stacks are recorded' '... is the reason'
ask record counts.mur
is "$(memusageprint --summary counts.mur | grep -c 'heap total: 300,')" 1 '... but counts'
end

# ---- a mark long ago

start --max-snapshots=10 --time-unit=B --record=many.mur
ask mark early
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	tell alloc 10 1000
done
ask growth early
like "$out" '^keep .* grew by 293 KiB from early ' 'its snapshot stays, however many come later'
unlike "$err$out" 'the nearest moment' '... so nothing stands for it'
end
done_testing
