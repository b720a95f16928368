#!/bin/sh
# recorder_limits.t -- a program that closes, locks, limits or restricts itself, or was
# restricted, does not meet the recorder.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC3045  # ulimit
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin limits forks

# under LIMIT COMMAND...: the limit is the program's, not memusage's
# shellcheck disable=SC2016  # for the inner shell
under() {
	under_limit=$1
	shift
	profiled "$under_limit" sh -c 'ulimit $1; shift; exec "$@"' sh "$under_limit" "$@"
}

profiled 'open descriptors' limits descriptors
profiled 'open descriptors, with a data file' -d data -- limits descriptors
profiled 'close of every descriptor' limits close 0
profiled 'closefrom' limits close 1
profiled 'close_range' -d data -- limits close 2
num "$(wc -c <data)" -ge $((6000 * 24)) 'the data file is whole'

profiled 'mlockall(MCL_CURRENT)' limits lock 1
profiled 'mlockall(MCL_FUTURE)' limits lock 2
profiled 'mlockall(MCL_CURRENT | MCL_FUTURE)' limits lock 3
profiled 'the same with a data file' -d data -- limits lock 3
for how in '' '-d data' '--top'; do
	# shellcheck disable=SC2086  # options
	run memusage -q -o report $how limits lock-cloned
	like "$status $out" '^child: 0x300' "mlockall() in a child of a raw clone(), memusage $how"
done
rm -f data
profiled 'setrlimit(RLIMIT_AS)' limits itself 200
profiled 'limits by syscall()' limits call 200
profiled 'limits by syscall() with call stacks' --record=call.mur -- limits call 200
profiled 'mlockall by syscall()' limits lock-call 1

# What it allocates then is not all recorded, but the program notices nothing.
for threads in 3 4 300; do
	run limits narrow $threads
	alone=$out
	like "$alone" 'child: 0x300' "a page of memory for a while, then $threads threads and a fork"
	for how in '--quiet' '-d data' '--top' '--massif'; do
		is_turn 3 || continue
		rm -f data
		# shellcheck disable=SC2086  # options
		run memusage -o report $how limits narrow $threads
		is "$status $out" "0 $alone" "the same with memusage $how"
		like "$(cat report)" '^ malloc\| *[1-9]|limits: .* calls: [1-9]' \
			"memusage $how: it was recorded"
		lost=$(sed -n 's/^memusage: not recorded: \([0-9]*\) threads*$/\1/p' report)
		num "${lost:-0}" -le "$threads" "memusage $how: no more threads are lost than there were"
	done
done

# A filter of what only a recorder calls, and one of all but what libc itself calls; no clock.
rm -f data
for sandbox in strict filter list moved ticks; do
	profiled "$sandbox" sandbox $sandbox
	profiled "$sandbox, a data file" -u -m -d data -- sandbox $sandbox
	# Answers take the place of the table and the histogram: the recording is compared.
	for how in '--top' '--massif --massif-out-file=mo' '--sample=1K --leaks' '--dhat' '--mode=copy'; do
		is_turn 2 || continue
		run sandbox $sandbox
		native="$status $out"
		# shellcheck disable=SC2086  # options
		run memusage -q -o report $how --record=rec -- sandbox $sandbox
		is "$status $out" "$native" "$sandbox, memusage $how: it runs as alone"
		calls=$(memusageprint --to=json rec | sed -n 's/.*"call_count":\([0-9]*\).*/\1/p')
		case "$how" in
		*copy) ;;
		*) num "${calls:-0}" -ge "$(sed 's/.*count=//' native.out)" \
			"$sandbox, memusage $how: it was recorded" ;;
		esac
	done
done

# Threads whose end the kernel is not asked for are known by the stack that another got: 19 ran here,
# 9 at a time.
run sandbox list
case $out in
*'no seccomp'*) skip 'threads in a sandbox: no seccomp' ;;
*)
	run memusage -o report sandbox list
	num "$(sed -n 's/^memusage: \([0-9]*\) threads: .*/\1/p' report)" -lt 15 \
		'records of threads that ended in a sandbox are used again' ;;
esac

# Root may load a filter without no_new_privs.
run sandbox bare
case $out in
*'no seccomp'*) skip 'a filter without no_new_privs needs root' ;;
*)
	is "$status" 8 'a filter without no_new_privs: it works alone'
	profiled 'a filter without no_new_privs' sandbox bare
	run memusage -q -o report --top -- sandbox bare
	is "$status" 8 'a filter without no_new_privs, --top: it works, too' ;;
esac

# What is prepared for a sandbox is in the way of no limit.
run sandbox limited
case $out in
*'no seccomp'*) skip 'a limit in a sandbox: no seccomp' ;;
*)
	is "$status $out" '12 enough' 'a limit in a sandbox: it works alone'
	run memusage -q -o report --top -- sandbox limited
	is "$status $out" '12 enough' 'a limit in a sandbox: so it does recorded'
	like "$(cat report)" 'malloc' '... and was recorded' ;;
esac

# Timers that sample the stack end before the sandbox, which lets nobody stop them: their signals did
# not fit on a small alternate stack.
run sandbox alternate
case $out in
*'no seccomp'*) skip 'an alternate stack in a sandbox: no seccomp' ;;
*)
	native="$status $out"
	like "$native" '^13 truth' 'an alternate stack in a sandbox: it works alone'
	for how in '-d data' '--massif --massif-out-file=mo --stacks=yes'; do
		# shellcheck disable=SC2086  # options
		run memusage -q -o report $how -- sandbox alternate
		is "$status $out" "$native" "... with memusage $how"
		like "$(cat report mo 2>&1)" 'malloc\||^mem_heap_B=[1-9]' '... and was recorded'
	done ;;
esac

# A program with a filter from before its exec is not recorded, unless memusage has that one, too.
run sandbox inherited
native="$status $out"
case $out in
*'no seccomp'*) skip 'a filter from before the exec: no seccomp' ;;
*)
	run memusage -o report sh -c 'exec sandbox inherited'
	is "$status $out" "$native" 'a filter from before the exec: it runs as alone'
	like "$(cat report)" 'recorded, .* had a seccomp filter' '... and the report says why it lacks it'
	run memusage -q --record=rec sh -c 'exec refuse heap plain'
	is "$status" 0 'a filter that only answers errors, with MEMUSAGE_FILTERS: it runs'
	like "$(memusageprint --summary rec)" 'heap' '... and is recorded' ;;
esac

# Root of a container may lack the capabilities.
if chroot / true 2>/dev/null && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
	profiled 'chroot' limits chroot
	profiled 'setuid' limits setuid
	profiled 'forks that fail' limits no-forks 300
	profiled 'mlockall of a user without rights' limits lock-little 8
else
	skip 'chroot and setuid need root' 38
fi

# The truth is the program's, the report has the shell's line, too.
truth=no
under '-v 1000000' limits take 60
under '-v 200000' limits take 60
under '-v 100000' limits take 60
under '-f 1' limits descriptors
under '-S -n 4' limits plain
is "$(report_field 2992-3007 count)" 3000 '-S -n 4: the program is recorded'
under '-n 5' limits plain
is "$(report_field 2992-3007 count)" 3000 '-n 5: the program is recorded'
# One descriptor is too few, unless the limit can be raised: that the report is the shell's is said.
run memusage -o report sh -c 'ulimit -n 4; exec limits plain'
is "$status" 0 '-n 4: the program runs as ever'
if [ "$(report_field 2992-3007 count)" = 3000 ]; then
	pass '-n 4: the program is recorded'
else
	like "$(cat report)" "^memusage: 'sh' was recorded, .* 'limits' .*descriptors" \
		'-n 4: that it is not recorded is said'
fi
under '-s unlimited' limits plain
is "$(report_field 2992-3007 count)" 3000 '-s unlimited: the program is recorded'
under '-s unlimited' threads churn 20
num "$(report_field stack peak)" -le 100000 '-s unlimited: a sane stack peak'
truth=yes

# With a limit the blocks lie in the image, which is elsewhere in a forked child.
heaps_under() {
	sh -c "ulimit -v $1; exec memusage -o report forks nested 4" >/dev/null 2>&1
	sed -n 's/process [0-9]*//; s/stack peak: [0-9]*//; /heap total/p' report | sort
}
is "$(heaps_under unlimited | wc -l)" 5 'a program and four children'
is "$(heaps_under 200000)" "$(heaps_under unlimited)" 'children know their parents'\'' blocks under a limit'

# Kilobytes on disk: the dump is sparse.
size_of_core() {
	ulimit -c unlimited 2>/dev/null
	rm -f core
	"$@" >dump.out 2>&1
	[ -f core ] && du -k core | awk '{ print $1 }'
	rm -f core
}
native=$(size_of_core limits dump)
if [ "$native" ]; then
	with=$(size_of_core memusage -o report -- limits dump)
	num "${with:-999999}" -le $((native + 500)) "no recording in the core: $native KB without"
	recorded 'core dump'
else
	skip 'no core file is made here' 2
fi

# ---- too little for any recording

if sh -c 'ulimit -f 1000' 2>/dev/null; then
	run sh -c 'ulimit -f 1000; exec memusage true'
	if [ "$status" = 0 ]; then
		skip 'who runs this may lift the limit' 2
	else
		is "$status" 125 'ulimit -f 1000'
		like "$err" 'the file size limit is 1?[0-9]+ KiB \(ulimit -H -f\), and 2048 KiB are needed' \
			'... says what it needs'
	fi
else
	skip 'no ulimit -f' 2
fi
done_testing
