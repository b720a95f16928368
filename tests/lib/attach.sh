# attach.sh -- recording processes that run already. Source after tap.sh.
#
#	attach PID OPTION...     memusage --attach=PID in the background, its job is $attacher, its
#	                         messages are in attach.err; waits until it records
#	detach                   ends that as Ctrl-C does; $status is its exit status
#	state_of PID             what must be as before: mappings, descriptors, signals, code
#	need_attach              no test where the kernel does not let us trace processes
#	begin_stranger PROGRAM [ARG]...  starts it, waits until it says "ready" or has ended; its ID is
#	                         in $program, what it says in output and errors
#	end_stranger             ends its input; its status is in $ended
#	begin_rounds PROGRAM     starts one that takes a round for each line of its input, and then says
#	                         what it has counted, and "done"; its ID is in $program
#	take_round FILE          lets it take one; what it says is in FILE
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
need_attach() {
	need_machine x86_64 'only x86-64 has --attach'
	need_tracing
}
is_ready() { grep -q ready output || ! kill -0 "$program" 2>/dev/null; }
begin_stranger() {
	rm -f input output errors
	mkfifo input
	"$@" <input >output 2>errors &
	program=$!
	exec 3>input
	until_true is_ready
}
end_stranger() {
	exec 3>&-
	ended=0
	wait "$program" || ended=$?
}
# read_round FILE: what it says, until "done"
read_round() {
	: >"$1"
	while read -r said <&4 && [ "$said" != 'done' ]; do
		echo "$said" >>"$1"
	done
}
begin_rounds() {
	mkfifo in out
	"$1" <in >out &
	program=$!
	exec 3>in 4<out
	read_round first
}
take_round() {
	echo >&3
	read_round "$1"
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
