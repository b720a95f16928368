#!/bin/sh
# attach_adopt.t -- the recorder of an attacher that was killed is found: the next attacher takes it
# away before it attaches, or --detach does; the recording that was under way is complete.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint live attached hold_traced
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

has_recorder() { grep -q memfd:memusage "/proc/$1/maps"; }
collector_of() { pids memusage-collec "$1"; }
# kill_attacher: it first, since it would replace a collector that dies, which would then write into
# the file of the next attacher's messages; then all of its children
kill_attacher() {
	collectors=$(collector_of "$attacher")
	# shellcheck disable=SC2086 # several
	kill -9 "$attacher" $collectors 2>/dev/null
	wait "$attacher" 2>/dev/null
	until_true are_gone
}
are_gone() {
	for process in $collectors; do
		! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$process/status" || return 1
	done
}

begin_live live
tell alloc 100 1000
state_of "$job" >before

# ---- its collector lives ---------------------------------------------------------------------

attach "$job" --record=first.mur
tell alloc 50 200
tell free 120
run memusage --detach="$job"
is "$status" 125 'the recorder of an attacher that lives'
like "$err" "recorded already, by process $attacher" '... is left alone, and the attacher named'
run memusage --attach="$job"
like "$err" "kill -INT $attacher" '... and a second one is told how to end that'
collector=$(collector_of "$attacher")
kill -9 "$attacher"
wait "$attacher" 2>/dev/null
ok 'an attacher that is killed leaves its recorder' has_recorder "$job"
tell alloc 10 50
run memusage --detach="$job"
is "$status" 0 'memusage --detach takes it away'
like "$err" 'of an earlier attacher is taken away' '... and says so'
state_of "$job" >after
same after before 'nothing of it stays'
collector_ends() { ! kill -0 "$collector"; }
ok 'its collector ends' until_true collector_ends
like "$(memusageprint --to=json first.mur)" '"heap_total":10500,' '... and has recorded to the end'

# ---- all of it was killed ----------------------------------------------------------------------

attach "$job" --record=second.mur
tell alloc 7 70
kill_attacher
tell alloc 3 30
ok 'the process can be attached to again' attach "$job" --record=third.mur
like "$(cat attach.err)" 'of an earlier attacher is taken away' '... which is said'
tell alloc 5 90
detach
is "$status" 0 '... and left'
like "$(memusageprint --to=json third.mur)" '"heap_total":450,' '... and only what is new was recorded'
state_of "$job" >after
same after before 'the process is as before both'
run memusage --detach="$job"
is "$status" 0 'there is nothing to take away any more'
like "$err" 'there is no recorder' '... which is said'
run memusage --detach=1999999999
is "$status" 125 'a process that does not exist'
end

# ---- one that cannot be taken away ------------------------------------------------------------

begin_live live
tell alloc 100 1000
state_of "$job" >before
attach "$job" --top -o kept.txt --record=kept.mur
tell alloc 50 200
mkfifo tracing
hold_traced "$job" <tracing >traced 2>&1 3>&- &
tracer=$!
exec 5>tracing
until_true grep -q . traced
is "$(cat traced)" ready 'another tracer comes while it is recorded'
detach
is "$status" 0 'recording ends all the same'
like "$(cat attach.err)" "process $job: the recorder cannot be taken away: .* traces it already" \
	'... and says that and why the recorder stays'
like "$(cat attach.err)" "records nothing more; memusage --detach=$job" '... and what to do'
unlike "$(cat attach.err kept.txt)" 'was not recorded' '... and not that there is nothing'
like "$(cat kept.txt)" 'allocated by' '... the report is complete'
like "$(cat kept.txt)" '^process .*, [0-9.]+ m?s after memusage attached, while it runs' \
	'... to the moment of the detach'
like "$(memusageprint --to=json kept.mur)" '"heap_total":10000,' '... and so is the recording'
tell alloc 10 100
if [ "$(id -u)" = 0 ]; then
	like "$(memusage --pid="$job" status 2>&1)" 'recording: stopped' 'the recorder has stopped'
else
	like "$(memusage --pid="$job" status 2>&1)" 'its collector is gone: only root can' \
		'what the recorder does is told to root alone, without a collector'
fi
run memusage --detach="$job"
is "$status" 125 'it cannot be taken away as long as that traces'
exec 5>&-
wait "$tracer"
run memusage --detach="$job"
is "$status" 0 '... but it can after that'
ok '... and is gone' test -z "$(grep memfd:memusage "/proc/$job/maps")"
state_of "$job" >after
same after before '... and the process is as before'
end

# ---- one that comes late -----------------------------------------------------------------------

# The child of a killed attacher that is to take the recorder away comes to its stop when the next one
# has done that. What is at the recorder's addresses by then is not its business.
# begin_late: $late is such a child, which goes on when the file is removed
begin_late() {
	LD_PRELOAD=$WORKLOADS/liblate_tracer.so LATE_TRACER=$MU_TMP/late
	export LD_PRELOAD LATE_TRACER
	attach "$job" --record=late.mur
	unset LD_PRELOAD LATE_TRACER
	tell alloc 10 100
	: >late
	kill -INT "$attacher"
	until_true test -s late
	late=$(cat late)
}
# leave_late TEXT
leave_late() {
	begin_late
	kill_attacher
	run memusage --detach="$job"
	is "$status" 0 "$1: the recorder of its attacher is taken away before it comes" || diag "$err"
}
let_it_come() {
	rm -f late
	collectors=$late
	until_true are_gone
}
if is_sanitized any; then
	skip 'no other library comes before a sanitizer' 11
else
	begin_live live
	tell alloc 100 1000
	state_of "$job" >before
	leave_late 'one that comes late'
	tell alloc 60 200000
	let_it_come
	tell free 160
	ok '... what the program has put at its place stays' kill -0 "$job"
	end
	is "$?" 0 '... and it ends as alone'

	begin_live live
	tell alloc 100 1000
	leave_late 'a second one'
	ok '... another attacher comes' attach "$job" --record=after.mur
	let_it_come
	tell alloc 5 90
	ok '... whose recorder stays' has_recorder "$job"
	detach
	is "$status" 0 '... until that leaves'
	like "$(memusageprint --to=json after.mur)" '"heap_total":450,' '... with all that was recorded'
	end

	begin_live live
	begin_late
	collector=$(collector_of "$attacher")
	kill -9 "$attacher"
	wait "$attacher" 2>/dev/null
	let_it_come
	ok 'one that comes before any other takes it away' test -z "$(grep memfd:memusage "/proc/$job/maps")"
	ok '... the collector of its attacher ends' until_true collector_ends
	like "$(memusageprint --to=json late.mur)" '"heap_total":1000,' '... and has recorded to the end'
	end
fi

# ---- at any moment -----------------------------------------------------------------------------

# The launcher and its children are a group, so all of them end at once. A quick one has left after
# 0.1 s, so there is no pause between two looks.
await_group() {
	looks=0
	until kill -0 -"$attacher" 2>/dev/null || [ "$looks" = 1000000 ]; do
		looks=$((looks + 1))
	done
}
turns=$(attempts 4 8)
for what in 'blocks 4' children; do
	rm -f input output survivors found ./*.mur
	mkfifo input
	# shellcheck disable=SC2086 # it is two words
	attached $what <input >output 2>errors &
	program=$!
	exec 3>input
	until_true grep -q ready output
	for i in $(seq "$turns"); do
		setsid memusage --attach="$program" --duration=50ms -q --record="run.$i.mur" \
			2>/dev/null 3>&- &
		attacher=$!
		await_group
		sleep "0.0$((i * 37 % 10))$((i * 7 % 10))"
		kill -9 -"$attacher" 2>/dev/null
		kill_attacher
		until_true grep -q '^TracerPid:[[:space:]]*0$' "/proc/$program/status"
		has_recorder "$program" && echo found >>found
		if [ $((i % 2)) = 0 ]; then
			memusage --attach="$program" --duration=10ms -q --record=next.mur \
				2>>refused 3>&-
		else
			memusage --detach="$program" -q 2>>refused 3>&-
		fi && ! has_recorder "$program" && echo unharmed >>survivors && continue
		echo "turn $i: $(pids memusage "$program") $(grep memusage "/proc/$program/maps")" >>refused
	done
	is "$(grep -c unharmed survivors)" "$turns" "attached $what: $turns killed attachers, as many taken away" ||
		diag "$(cat refused)"
	echo "# $(grep -c found found 2>/dev/null) had left a recorder"
	exec 3>&-
	ended=0
	wait "$program" || ended=$?
	is "$ended" 0 '... it ends as alone'
	like "$(tail -1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
	sed 's/^/# /' refused
done

# The child that stops the process goes on when the attacher alone is killed, and may have done its
# work only when the next one has the process: what that has read before is of no use.
turns=$(attempts 12 30)
for what in 'blocks 4' children; do
	rm -f input output ./*.mur
	mkfifo input
	# shellcheck disable=SC2086 # it is two words
	attached $what <input >output 2>errors &
	program=$!
	exec 3>input
	until_true grep -q ready output
	for i in $(seq "$turns"); do
		memusage --attach="$program" --duration=20ms -q --record=run.mur 2>/dev/null 3>&- &
		attacher=$!
		sleep "0.0$((i * 7 % 10))$((i * 3 % 10))"
		kill -9 "$attacher" 2>/dev/null
		memusage --detach="$program" -q 2>/dev/null 3>&-
		wait "$attacher" 2>/dev/null
	done
	is_left() { memusage --detach="$program" -q 2>refused 3>&- && ! has_recorder "$program"; }
	ok "attached $what: what $turns killed attachers left is taken away" until_true is_left
	exec 3>&-
	ended=0
	wait "$program" || ended=$?
	is "$ended" 0 '... it ends as alone'
	[ "$ended" = 0 ] || diag "$(tail -5 errors)"
	like "$(tail -1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
done
done_testing
