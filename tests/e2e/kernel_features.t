#!/bin/sh
# kernel_features.t -- on a kernel that lacks something the program runs as without memusage, and is
# recorded as elsewhere; where that cannot be, memusage says why before the program runs.
#
# What is missing is made so by a filter of system calls (tests/workloads/without.c).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint
without rseq true 2>why || skip_all "no filter of system calls here: $(cat why)"

# lacking FEATURES TEXT OPTIONS... -- COMMAND...: recorded, with the program's own truth
lacking() {
	lacks=$1 lacks_text="without $1: $2"
	shift 2
	lacks_options=
	while [ "$1" != -- ]; do
		lacks_options="$lacks_options $1"
		shift
	done
	shift
	run without "$lacks" "$@"
	mv .out native.out
	mv .err native.err
	native_status=$status
	rm -f report
	# shellcheck disable=SC2086
	run timeout -s KILL 100 without "$lacks" memusage -o report $lacks_options -- "$@"
	same .out native.out "$lacks_text: same output"
	same .err native.err "$lacks_text: same errors"
	is "$status" "$native_status" "$lacks_text: same exit status"
	recorded "$lacks_text"
	truths "$lacks_text" native.out report
}

# refusing FEATURES ERE: no way to record, which is said before the program runs
refusing() {
	rm -f report
	run without "$1" memusage -o report -- sh -c 'echo it ran'
	is "$status,$out" 125, "without $1: refused, the program does not run"
	like "$err" "^memusage: .*$2" "... with the reason"
}

refusing memfd_create 'memfd_create: Function not implemented'
refusing seals 'memfd_create: Invalid argument'
refusing add_seals 'F_ADD_SEALS: Invalid argument'
refusing wipeonfork 'MADV_WIPEONFORK: Invalid argument'
refusing madvise 'MADV_WIPEONFORK: Function not implemented'
refused=' memfd_create seals add_seals wipeonfork madvise '
run env LD_PRELOAD="$LIB" without wipeonfork heap plain
like "$err" '^memusage: nothing is recorded: .*MADV_WIPEONFORK' \
	'... also when the recorder is preloaded alone'

features='' old=''
for feature in $(without | sort -u); do
	case $refused in *" $feature "*) continue ;; esac
	features="$features $feature"
	old="$old${old:+,}$feature"
done
num "$(echo "$features" | wc -w)" -ge 20 'the others are many'
for feature in $features; do
	lacking "$feature" 'a program' -- heap plain
	lacking "$feature" 'threads with call stacks' --record=stacks.mur -- threads churn
	lacking "$feature" 'forks' --record=stacks.mur -- forks fork
done
# Docker's usual filter forbids kcmp: other programs must be known to share memory without it.
lacking kcmp 'children that share memory' --children=lines -- forks shared-first-raw
# The program that is executed gets the slot of the one before.
lacking fallocate 'executed programs' -- forks chain 3

# ---- all of them at once: an old kernel -------------------------------------------------------

for how in raw vfork spawn storm exec; do
	lacking "$old" "forks, $how" --record=stacks.mur -- forks $how
done
for how in crowd exit cancel; do
	lacking "$old" "threads, $how" --record=stacks.mur -- threads $how
done
lacking "$old" 'a page' --html=page.html -- heap plain
if has_page "$MU_BUILD"; then
	ok '... is written' test -s page.html
else
	skip 'this build has no HTML page'
fi
lacking "$old" 'a recording' --record=run.mur -- heap plain
run without "$old" memusageprint --summary run.mur
is "$status,$(printf '%s\n' "$out" | grep -c 'heap total')" 0,1 '... is read'
lacking "$old" 'Massif' --massif --massif-out-file=massif.out -- heap plain
like "$(cat massif.out)" '^mem_heap_B=[1-9]' '... has snapshots'
lacking "$old" 'a data file' --data=run.dat -- heap plain
num "$(stat -c %s run.dat)" -gt 1000 '... has events'
run without "$old" memusage --time-unit=i heap plain
is "$status" 125 'instructions cannot be counted'
like "$err" 'perf_event_open' '... which is said'
run without "$old" memusage -o report --pages-as-heap=yes pages plain
is "$status" 0 'pages'
like "$(cat report)" 'mmap\(a\)\| +[1-9]' '... are counted'

# ---- a process that runs -----------------------------------------------------------------------

mkfifo in out
without "$old" memusage -o report sh -c 'echo $$ >pid; exec live' <in >out &
job=$!
exec 3>in 4<out
echo 'alloc 100 1000' >&3
read -r _ <&4
run without "$old" memusage --pid="$(cat pid)" snapshot shot.out
is "$status" 0 'a process that runs is asked' || diag "$err"
is "$(sed -n 's/^mem_heap_B=//p' shot.out)" 100000 '... for every byte'
exec 3>&- 4<&-
wait "$job"
is "$?" 0 '... and goes on'

# ---- memory that runs out ---------------------------------------------------------------------

# Without MADV_POPULATE_WRITE a page that the disk has no room for is found out before it is used.
cat >full.sh <<'END'
mount -t tmpfs -o size=$1 full arena || exit 77
MEMUSAGE_DIR=$PWD/arena LD_PRELOAD=$LIB without populate heap plain
END
mkdir arena
heap plain >native.out
for size in 100k 200k 400k; do
	status=77
	unshare -m true 2>/dev/null && run unshare -m sh full.sh $size
	if [ "$status" = 77 ]; then
		skip 'no file system can be mounted here' 2
		continue
	fi
	is "$status" 0 "a disk of $size: the program ends as it does"
	is "$out" "$(cat native.out)" '... and prints the same'
done
done_testing
