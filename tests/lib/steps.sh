# steps.sh -- programs that take a step for each byte of their input, and say "ready" after it. Source
# after tap.sh.
#
#	begin_steps COMMAND...   runs it, its job is $launcher; what it says is in output and errors;
#	                         the first step is taken by itself
#	step                     the next one; waits until $program, if that is set, waits for its input:
#	                         its registers count as long as it is not in a system call
#	end_steps                ends its input; returns its status
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

begin_steps() {
	program=
	rm -f input output errors
	mkfifo input
	: >output
	said=$PWD/output # a test may go to another directory
	"$@" <input >output 2>errors &
	launcher=$!
	exec 3>input
	steps=0
	step
}
has_taken() { [ "$(grep -c ready "$said")" -ge "$1" ]; }
await_input() {
	[ ! "$program" ] || until_true grep -q '^State:[[:space:]]*S' "/proc/$program/status"
}
step() {
	[ "$steps" -eq 0 ] || printf x >&3
	steps=$((steps + 1))
	until_true has_taken "$steps"
	await_input
}
end_steps() {
	exec 3>&-
	wait "$launcher"
}
