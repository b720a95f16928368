# live.sh -- the workload `live` in the background, told what to do. Source after tap.sh.
#
#	begin_live COMMAND...    runs COMMAND, which runs `live`; its job is $job
#	tell WORD...             one line for `live`; waits for its answer
#	end                      `live` sees the end of its input; waits for COMMAND
#	find_collector           of COMMAND: $launcher, $collector, $name (its socket's), $pid (live's)
#	field NAME FILE          a value in a massif.out
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

begin_live() {
	rm -f in out && mkfifo in out && chmod 666 in out
	"$@" <in >out 2>err &
	job=$!
	exec 3>in 4<out
}
tell() {
	echo "$*" >&3
	read -r _ <&4
}
end() {
	exec 3>&- 4<&-
	wait "$job"
}
find_collector() {
	launcher=$(pids memusage "$job")
	launcher=${launcher:-$job}
	# shellcheck disable=SC2034
	name=$(sed -n "s/.* @\(memusage-0*$launcher-.*\)/\1/p" /proc/net/unix)
	# shellcheck disable=SC2034
	collector=$(pids memusage-collec "$launcher")
	# shellcheck disable=SC2034
	pid=$(pids live "$launcher")
}
field() { sed -n "s/^$1=//p" "$2"; }
