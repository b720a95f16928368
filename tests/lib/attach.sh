# attach.sh -- recording processes that run already. Source after tap.sh.
#
#	attach PID OPTION...     memusage --attach=PID in the background, its job is $attacher, its
#	                         messages are in attach.err; waits until it records
#	detach                   ends that as Ctrl-C does; $status is its exit status
#	state_of PID             what must be as before: mappings, descriptors, signals, code
#	can_attach PID           whether that is possible here; else $why says why not
#	can_attach_here          skips the test if it is not
#	is_unharmed TEXT OPTION...  tests/bench/attach; its rows are in $out
#	come_and_go TARGET TIMES    the same: a recorder comes and goes that often
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # some are for the test, some from tap.sh

attach() {
	attached=$1
	shift
	: >attach.err
	memusage --attach="$attached" "$@" 2>attach.err 3>&- 4<&- &
	attacher=$!
	until_true is_attached
	grep -q 'is recorded from now on' attach.err
}
is_attached() {
	grep -q 'is recorded from now on' attach.err || ! kill -0 "$attacher" 2>/dev/null
}
detach() {
	kill -INT "$attacher"
	status=0
	wait "$attacher" || status=$?
}
# code_of PID: the code of libc in memory
code_of() {
	sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) r-xp .*\/libc\.so\.6$/\1 \2/p' "/proc/$1/maps" |
		while read -r start end; do
			start=$((0x$start)) end=$((0x$end))
			dd if="/proc/$1/mem" bs=4096 skip=$((start / 4096)) \
				count=$(((end - start) / 4096)) 2>/dev/null | cksum
		done
}
state_of() {
	cut -d' ' -f1-2 "/proc/$1/maps"
	find "/proc/$1/fd" -type l -printf '%f %l\n' | sort
	grep -E '^(VmSize|Sig[A-PR-Z]|Shd|TracerPid|Threads|Seccomp)' "/proc/$1/status"
	code_of "$1"
}
can_attach() {
	why=$(memusage --attach="$1" --duration=50ms -q --record=probe.mur 2>&1 >/dev/null) &&
		return 0
	return 1
}
can_attach_here() {
	sleep 60 &
	sleeper=$!
	until_true grep -q sleep "/proc/$sleeper/comm"
	can_attach $sleeper || skip_all "processes cannot be attached to here: $why"
	kill $sleeper
	wait $sleeper 2>/dev/null || :
}
is_unharmed() {
	text=$1
	shift
	run "$MU_SRC/tests/bench/attach" "$@"
	diag "$out"
	is "$status" 0 "$text: nothing is harmed" || diag "$err"
}
come_and_go() {
	is_unharmed "$1" -n "$2" "$1"
	case $out in
	"$1 "*) like "$out" "recorded=$2 refused=0 harm=0 .* wrong=0 " '... a recorder came and went' ;;
	*) skip "$out" ;;
	esac
}
