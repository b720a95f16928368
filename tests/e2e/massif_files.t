#!/bin/sh
# massif_files.t -- names of profiles: %p %n %q{VAR} %% as of when they are written, relative to where
# memusage started; every process that forked or, with --trace-children=yes, exec'd has its own.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# files: what is in the directory `d`, process IDs replaced
files() {
	(cd d && for f in *; do echo "$f"; done | sed 's/[0-9]\{3,\}/PID/g' | sort | tr '\n' ' ')
}
# run_in OPTION... COMMAND...: with d as the start directory, which was empty
run_in() {
	rm -rf d
	mkdir d
	(cd d && memusage -q "$@" >/dev/null 2>../err)
}

run_in --massif "$WORKLOADS/massif_one"
is "$(files)" 'massif.out.PID ' 'the default name'
if command -v python3 >/dev/null; then
	# said OPTION...: what a terminal shows of files
	said() {
		python3 "$MU_SRC/tests/lib/terminal.py" 80 memusage "$@" true |
			sed -n 's/[0-9]*$/PID/; / written to /p'
	}
	is "$(said --massif)" 'memusage: Massif profile written to massif.out.PID' \
		'a terminal is told the name'
	is "$(said --dhat)" 'memusage: DHAT profile written to dhat.out.PID' '... of DHAT, too'
	is "$(said -q --massif)" '' '... but not with -q'
	is "$(said --massif --massif-out-file=known)" '' '... nor a name that the user gave'
else
	skip 'no python3 here' 4
fi
is "$(memusage --massif true 2>&1 | grep -c 'written to')" 0 'other outputs are as those of Massif'
WHO=me run_in --massif --massif-out-file='a%%b.%q{WHO}.%n.%n.%p' "$WORKLOADS/massif_one"
is "$(files)" 'a%b.me.1.2.PID ' 'percent, a variable, numbers, the process'
run_in --massif --massif-out-file='x.%q{NOT_SET_HERE}' "$WORKLOADS/massif_one"
is "$?" 125 'a variable that is not set is an error'
is "$(files)" '* ' 'before the program runs'
like "$(cat err)" 'NOT_SET_HERE' 'which names it'
for bad in '%' '%k' '%q' '%q{' '%q{}'; do
	run_in --massif --massif-out-file="x$bad" "$WORKLOADS/massif_one"
	is "$?" 125 "x$bad is an error"
done

# The program goes elsewhere, and so does what it runs.
run_in --massif sh -c 'cd / && exit 3'
is "$?" 3 'a program that changes its directory'
is "$(files)" 'massif.out.PID ' 'the profile is where memusage started'

# fork: the child has a profile of its own, with its own process ID.
run_in --massif --massif-out-file='f.%p' "$WORKLOADS/massif_fork"
is "$(files)" 'f.PID f.PID ' 'fork: two profiles'
run_in --massif --massif-out-file=same "$WORKLOADS/massif_fork"
is "$(files)" 'same same.PID ' 'without %p the child does not overwrite its parent'
run_in --massif --trace-children=no --massif-out-file='f.%p' "$WORKLOADS/massif_fork"
is "$(files)" 'f.PID f.PID ' 'a fork is no exec: --trace-children=no makes no difference'

# exec: only if it is asked for.
one=$WORKLOADS/massif_one
run_in --massif sh -c "'$one'; '$one'; :"
is "$(files)" 'massif.out.PID ' 'programs that are started have no profile'
run_in --massif --trace-children=yes sh -c "'$one'; '$one'; :"
is "$(files)" 'massif.out.PID massif.out.PID massif.out.PID ' '--trace-children=yes: they have'
(cd d && cat massif.out.*) >all
is "$(grep -c '^cmd: .*massif_one$' all)" 2 'each with its own command'
run_in --massif --trace-children=yes --massif-out-file=f sh -c "exec '$one'"
is "$(files)" 'f f.1 ' 'the images of one process before and after an exec'
like "$(cat d/f)" '^cmd: .*massif_one$' 'the last one has the name'
like "$(cat d/f.1)" '^cmd: sh -c ' 'the one before it .1'
run_in --massif --massif-out-file=f sh -c "exec '$one'"
is "$(files)" 'f f.1 ' 'the started process is profiled on after an exec'
run_in --xtree-memory=allocs --trace-children=yes sh -c "'$one'; :"
is "$(files)" 'xtmemory.kcg.PID xtmemory.kcg.PID ' 'the same for --xtree-memory'

# A fork's profile has its parent's history, of before the fork only.
run_in --massif --time-unit=B --massif-out-file='f.%p' "$WORKLOADS/massif_fork"
set -- d/f.*
for f in "$1" "$2"; do
	sed -n '/^snapshot=1$/,/^snapshot=2$/p' "$f" | sed '/^#/d' >"$f.first"
done
same "$1.first" "$2.first" 'parent and child share their first snapshots'
done_testing
