#!/bin/sh
# cgroup.t -- a mark with its snapshot when the control group is at 90 % of its memory limit, and a
# recording of all processes when the kernel then kills the whole group.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/durable.sh"
need_bin memusage memusageprint live
PATH=$WORKLOADS:$PATH

# A group with a limit of 64 MiB, $group, and one in it without, $inner. Version 1 or 2.
make_limited() {
	version=1
	base=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
	own=$(sed -n 's/^[0-9]*:\([^:]*,\)\{0,1\}memory\(,[^:]*\)\{0,1\}:\(.*\)$/\3/p' /proc/self/cgroup)
	limit=memory.limit_in_bytes
	if [ -z "$base" ]; then
		version=2 limit=memory.max
		base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
		own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	fi
	# In a chroot there may be none, and a folder with such a file could be made in its place.
	[ -n "$base" ] || return 1
	group=${base%/}${own%/}/memusage-limit-$$
	inner=$group/inner
	mkdir "$group" 2>/dev/null || return 1
	[ $version = 1 ] || echo +memory >"$group/cgroup.subtree_control" 2>/dev/null
	mkdir "$inner" && echo 67108864 2>/dev/null >"$group/$limit" && return
	rmdir "$inner" "$group"
	return 1
}
remove_limited() {
	until_true rmdir "$inner"
	rmdir "$group"
}
# In the inner group.
inside() {
	# shellcheck disable=SC2016
	run sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$inner" "$@"
}

is_sanitized any && skip_all 'a sanitized memusage takes too much of the limit'
make_limited || skip_all 'no control group with a memory limit can be made here'
diag "version $version"

inside memusage -o report --record=half.mur hog 32
is "$status" 0 'half of the limit of the group above'
run memusageprint --marks half.mur
unlike "$out" 'cgroup' '... is no mark'

inside memusage -o report --record=most.mur hog 60
is "$status" 0 'more than 90 %'
run memusageprint --marks most.mur
like "$out" '^ +[0-9.]+ s +[56][0-9]\.[0-9] MiB  cgroup>90%$' '... is a mark'
is "$(printf '%s\n' "$out" | grep -c 'cgroup')" 1 '... one'
like "$(cat report)" '^memusage: the control group used [56][0-9.]+ MiB of its 64.0 MiB: the recording has a mark' \
	'... the report names it'
run memusageprint '--growth=start..cgroup>90%' most.mur
like "$out" '^hog \(([^ ]*/)?hog.c:[0-9]+\) grew by [56][0-9.]+ MiB from the start to cgroup>90%' '... with its places'

# 20,000 places are more than other marks may have.
inside memusage -q --record=many.mur hog 60 20000
run memusageprint '--growth=start..cgroup>90%' many.mur
like "$out" ' grew by [45][0-9.]+ MiB from the start to cgroup>90%' '... also of many'

inside memusage -o report --snapshot-when=cgroup:50% --snapshot-file='s.%n' hog 60
is "$(ls s.*)" s.1 'a threshold of the user writes a file'
like "$(cat s.1)" 'n[0-9]*: [234][0-9]{7} 0x[0-9A-F]*: hog \(([^ ]*/)?hog.c:' '... who holds it'
like "$(cat report)" '\(cgroup:50%\): s.1$' '... and the report says so'

# The largest process is killed; with version 2 all of them are.
[ $version = 1 ] || echo 1 >"$group/memory.oom.group"
inside memusage -q --durable --record=killed.mur hog 200
is "$status" 137 'the kernel kills'
if [ $version = 2 ]; then
	ok '... memusage, too' test -e killed.mur.arena
	run memusage -q --finish killed.mur
	is "$status,$err" 0, '... --finish'
else
	skip 'control groups of version 1 have no memory.oom.group' 2
fi
run memusageprint --marks killed.mur
like "$out" 'cgroup>90%$' '... and the mark is there'
run memusageprint --top killed.mur
like "$out" '^hog \(([^ ]*/)?hog.c:[0-9]+\) allocated .* of the [56][0-9.]+ MiB live' '... and what it held'
remove_limited

done_testing
