#!/bin/sh
# attach_mappings.t -- with -m the calls of mmap, munmap and mremap between an attach and its detach are
# counted as in a program that memusage starts: exactly, and without libc's own.
#
# MU_ROUNDS (3) is how often.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint attached_mappings
need mkfifo
need_attach
case $(getconf GNU_LIBC_VERSION) in
*' 2.'[0-9] | *' 2.'[12][0-9] | *' 2.'3[0-2]) skip_all 'refused with glibc before 2.33' ;;
esac
rounds=${MU_ROUNDS:-3}

# next FILE: reads what the program says, until "done"
next() {
	: >"$1"
	while read -r said <&4 && [ "$said" != 'done' ]; do
		echo "$said" >>"$1"
	done
}

mkfifo in out
attached_mappings <in >out &
program=$!
exec 3>in 4<out
next first
attach "$program" -o judged --fail-if='mmap peak > 1M'
echo >&3
next output
detach
is "$status" 100 'a limit of mappings that is exceeded'
state_of "$program" | grep -v '^[0-9a-f]*-\|^VmSize\|^Threads' >before
for round in $(seq 1 "$rounds"); do
	rm -f report
	attach "$program" -m -o report --record=run.mur
	echo >&3
	next output
	detach
	is "$status" 0 "round $round: left"
	truths "round $round" output report
	unlike "$(cat report)" '[0-9]{16}' '... and no negative number'
done
# 3 mappings of 1000 pages were unmapped that are from before.
num "$(report_field heap peak)" -ge 12288000 'writable mappings of files are heap'
like "$(memusageprint --to=json run.mur)" '"mmap\(w\)":\{"calls":[1-9]' 'a recording has the rows, too'
state_of "$program" | grep -v '^[0-9a-f]*-\|^VmSize\|^Threads' >after
same after before 'its descriptors, signals and code are as they were'

attach "$program" -o report
echo >&3
next output
detach
unlike "$(cat report)" 'mmap' 'without -m they are not counted'
ended=0
exec 3>&-
wait "$program" || ended=$?
is "$ended" 0 'the program ends as alone'
done_testing
