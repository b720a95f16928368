# examined.sh -- programs that are examined while they run. Source after tap.sh.
#
#	begin_examined PROGRAM [ARG]...  starts it under memusage, waits until it says "ready"; its ID
#	                         is in $program, what it says in output and errors
#	end_examined             ends its input; its status is in $ended
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034 # they are for the test

begin_examined() {
	rm -f input output errors
	mkfifo input
	memusage -q --record=run.mur "$@" <input >output 2>errors &
	launcher=$!
	exec 3>input
	until_true grep -q ready output
	program=$(pids "$1" "$launcher" | head -1)
}
end_examined() {
	exec 3>&-
	ended=0
	wait "$launcher" || ended=$?
}
