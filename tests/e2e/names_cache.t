#!/bin/sh
# names_cache.t -- names are kept for the next run in the user's cache, and nowhere else: not in
# others' directories, not through links, not on a full disk. Reports are the same in every case.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage memusageprint

# A program of this test's own, older than what the cache takes for being written.
cp "$WORKLOADS/heap" program
chmod 755 program
sleep 0.3
unset XDG_CACHE_HOME HOME
memusage -q --record=r.mur ./program >/dev/null 2>&1
chmod 644 r.mur
report() { memusageprint --top --tree "$@" r.mur; }
count() { find "$1" -name '*.names' 2>/dev/null | wc -l; }
# judge CACHE FILES TEXT: with this directory as the cache the report is right, and so many files
# ("some", or 0) are in it.
judge() {
	XDG_CACHE_HOME=$1 report >out.1 2>err.1
	is $? 0 "$3"
	same out.1 plain '... the report is right'
	is "$(cat err.1)" '' '... and nothing is said'
	found=$(count "$1")
	if [ "$2" = some ]; then
		num "$found" -gt 0 '... names are kept'
	else
		is "$found" 0 '... nothing is kept'
	fi
}

report --no-names-cache >plain
like "$(cat plain)" '\(([a-z]+/)*heap\.c:[0-9]+\)' 'without a cache there are names'

# ---- where it is

judge "$MU_TMP/new" some 'a directory that was not there'
is "$(stat -c %a new/memusage)" 700 'only the user can enter it'
is "$(stat -c %a new/memusage/*.names | sort -u)" 600 '... or read the files'
before=$(find new -name '*.names' -printf '%i %C@\n' | sort)
judge "$MU_TMP/new" some 'the second time'
is "$(find new -name '*.names' -printf '%i %C@\n' | sort)" "$before" '... nothing is written'
mkdir home
HOME=$MU_TMP/home report >out.2
num "$(count home/.cache/memusage)" -gt 0 'without XDG_CACHE_HOME it is in ~/.cache'
mkdir relative
XDG_CACHE_HOME=relative report >out.2
is "$(count relative)" 0 'a relative name is ignored'
report >out.2
same out.2 plain 'without a home nothing is kept'
XDG_CACHE_HOME=$MU_TMP/off report --no-names-cache >out.2
nok '--no-names-cache makes no directory' test -e off

# ---- all programs use it

export XDG_CACHE_HOME="$MU_TMP/run"
memusage -q --top --no-names-cache ./program >/dev/null 2>&1
is "$(count run)" 0 'memusage --no-names-cache'
memusage --top ./program >run.out 2>&1
num "$(count run)" -gt 0 'memusage --top keeps names'
like "$(cat run.out)" 'heap\.c:[0-9]' '... and prints them'
if has_program memusagestat; then
	for o in '' --no-names-cache; do
		rm -rf run
		# shellcheck disable=SC2086
		memusagestat --flame $o r.mur flame.svg
		num "$(count run)" "$([ "$o" ] && echo -eq || echo -gt)" 0 "memusagestat --flame $o"
	done
else
	skip 'no memusagestat' 2
fi
unset XDG_CACHE_HOME

# ---- what must not be used

mkdir target link && ln -s ../target link/memusage
judge "$MU_TMP/link" 0 'a link instead of the directory'
is "$(count target)" 0 '... is not followed'
for mode in 777 750 701; do
	mkdir -p "mode$mode/memusage" && chmod $mode "mode$mode/memusage"
	judge "$MU_TMP/mode$mode" 0 "a directory of mode $mode"
done
mkdir file && : >file/memusage
judge "$MU_TMP/file" 0 'a file instead of the directory'
judge "/dev/null" 0 'a device instead of the directory above it'

cp -r new hostile
for f in hostile/memusage/*.names; do
	head -c 5000 /dev/urandom >"$f"
done
judge "$MU_TMP/hostile" some 'files with anything in them'
ok '... are replaced' diff -r hostile new

if has_users; then
	as_user mkdir -p "$user_dir/cache/memusage" "$user_dir/home/.cache"
	as_user chmod 777 "$user_dir" "$user_dir/cache" "$user_dir/home" "$user_dir/home/.cache"
	judge "$user_dir/cache" 0 "another user's directory"
	HOME=$user_dir/home report >out.2
	same out.2 plain "root with a user's home, as by sudo"
	nok '... leaves nothing there' test -e "$user_dir/home/.cache/memusage"
	as_user mkdir "$user_dir/home2"
	as_user env HOME="$user_dir/home2" memusageprint --top --tree r.mur >out.2
	same out.2 plain 'the user'
	num "$(count "$user_dir/home2")" -gt 0 '... has a cache'
	as_user chmod 500 "$user_dir/home2" "$user_dir/home2/.cache/memusage"
	as_user rm -rf "$user_dir/home2/.cache/memusage"/* 2>/dev/null
	as_user env HOME="$user_dir/home2" memusageprint --top --tree r.mur >out.2 2>err.2
	same out.2 plain 'a home that can only be read'
	is "$(cat err.2)" '' '... is no reason to say anything'
else
	skip "$no_users" 10
fi

if mkdir small && mount -t tmpfs -o size=4k,mode=700 tmpfs small 2>/dev/null; then
	trap 'umount "$MU_TMP/small"' EXIT
	head -c 4096 /dev/zero >small/filler
	judge "$MU_TMP/small" 0 'a full disk'
	is "$(find small -type f)" small/filler '... and no part of a file is left'
	umount small
	trap - EXIT
else
	skip 'no file system can be mounted here' 5
fi
(
	ulimit -f 0
	XDG_CACHE_HOME=$MU_TMP/limit report
) | cat >out.2
same out.2 plain 'no file may be written'
is "$(find limit -type f 2>/dev/null | wc -l)" 0 '... and none is'

# ---- many at once

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	XDG_CACHE_HOME=$MU_TMP/many report >many.$i 2>&1 &
done
wait
bad=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	cmp -s many.$i plain || bad=$((bad + 1))
done
is $bad 0 '20 at once are right'
is "$(find many -name '.tmp*' | wc -l)" 0 '... and leave whole files only'
judge "$MU_TMP/many" some '... which can be used'
done_testing
