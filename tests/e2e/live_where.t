#!/bin/sh
# live_where.t -- memusage --pid finds its process wherever that is: another user's, in a namespace
# or a chroot, its program deleted, forked, a daemon; and when it ends, executes or is killed while
# it is looked at, the message says so.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
PATH=$WORKLOADS:$PATH
live=$WORKLOADS/live
memusage=$MU_BUILD/bin/memusage
root=no
comm=live # of the process that is looked for
[ "$(id -u)" != 0 ] || root=yes

# start COMMAND...: it runs $live somewhere, which has 10 blocks of 1000 bytes then; $pid is its
# process ID as we see it
start() {
	begin_live "$@"
	tell alloc 10 1000
	pid=$(find_live "$job")
}
# The descendant of process $1 that is called live.
find_live() {
	# shellcheck disable=SC2013
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$comm" ] && echo "$child" && return
		find_live "$child" && return
	done
	return 1
}
good() { # TEXT: a detailed snapshot has it all
	rm -f shot
	run memusage -q "--pid=$pid" detailed_snapshot shot
	is "$status" 0 "$1: a snapshot"
	is "$(field mem_heap_B shot)" 10000 '... of its heap'
	like "$(cat shot)" "n[0-9]*: 10000 0x[0-9A-F]*: ${2:-keep \(live.c:}" '... with names'
}
nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups env TMPDIR=/tmp "$@"; }

# ---- $! of the shell: the memusage that started it

start memusage -q --record=r.mur "$live"
own=$pid pid=$job
good 'the process of memusage itself stands for its program' "[^ ]* \((live.c:|in .*live)"
is "$(memusage "--pid=$job" status | sed 's/[^0-9]*\([0-9]*\).*/\1/; q')" "$own" "status is the program's"
end

# ---- a program that was deleted, or replaced

cp "$live" ./copy
comm=copy
start memusage -q --record=r.mur ./copy
comm=live
rm copy
good 'its program was deleted' "[^ ]* \((live.c:|in .*copy)"
end

# ---- forked children, daemons

start memusage -q --record=r.mur sh -c '"$0"; true' "$live"
good 'a child'
end
rm -f in out && mkfifo in out
memusage -q --record=r.mur sh -c 'setsid "$0" <in >out 2>/dev/null & echo $! >daemon' "$live"
exec 3>in 4<out
tell alloc 10 1000
pid=$(cat daemon)
good 'memusage has returned'
exec 3>&- 4<&-

# ---- other users

if [ $root = yes ] && nobody test -x "$memusage"; then
	start memusage -q --record=r.mur "$live"
	run nobody "$memusage" "--pid=$pid" status
	is "$status" 125 "another user's process"
	like "$err" "process $pid belongs to another user; only that user and root can inspect it" \
		'... is not shown'
	is "$out" '' '... at all'
	end
	dir=$(mktemp -d /tmp/memusage-test.XXXXXX) && chmod 777 "$dir"
	start nobody "$memusage" -q "--record=$dir/r.mur" "$live"
	good 'root asks for anybody'
	end
	rm -rf "$dir"
	start memusage -q --record=r.mur setpriv --reuid=nobody --regid=nogroup --clear-groups "$live"
	good 'a process that changed its user'
	end
else
	skip 'not root, or the programs are in a private directory' 9
fi

# ---- namespaces, a chroot

if unshare -pf --mount-proc true 2>/dev/null; then
	start memusage -q --record=r.mur unshare -pf "$live"
	good 'a PID namespace below memusage'
	end
	start unshare -pf --mount-proc memusage -q --record=r.mur "$live"
	good 'memusage in a PID namespace, asked from outside'
	inner=$(awk '/^NSpid:/ { print $NF }' "/proc/$pid/status")
	is "$(nsenter -t "$pid" -p -m "$memusage" -q "--pid=$inner" status | sed 's/,.*//; q')" \
		"process $inner live" '... and from inside, by its ID there'
	end
else
	skip 'cannot make PID namespaces here' 7
fi
if unshare -n true 2>/dev/null; then
	start memusage -q --record=r.mur unshare -n "$live"
	good 'a network namespace below memusage'
	end
	start unshare -n memusage -q --record=r.mur "$live"
	good 'memusage in another network namespace'
	end
else
	skip 'cannot make network namespaces here' 6
fi
if chroot / true 2>/dev/null && ldd "$live" >libraries 2>/dev/null; then
	mkdir jail
	for file in "$live" $(grep -o '/[^ ]*' libraries); do
		mkdir -p "jail$(dirname "$file")"
		cp "$file" "jail$file"
	done
	mkdir -p "jail$MU_BUILD/lib"
	cp -R "$MU_BUILD/lib/memusage" "jail$MU_BUILD/lib/"
	start memusage -q --record=r.mur chroot jail "$live"
	good 'a chroot'
	is "$(sed -n 's/^cmd: //p' shot)" "$live" '... though its /proc is not there'
	end
else
	skip 'not root' 4
fi

# ---- what happens to it meanwhile

# mishap COMMAND...: looks again and again at what COMMAND starts, until it is gone; all that is
# said is good, or one of the sentences that it may be
mishap() {
	text=$1
	shift
	"$@" </dev/null >/dev/null 2>&1 &
	job=$!
	good=0 sentences=0 other=
	for _ in $(seq 400); do
		kill -0 $job 2>/dev/null || break
		pid=$(find_live $job) || continue
		if memusage -q "--pid=$pid" detailed_snapshot shot 2>said; then
			[ "$(grep -c '^heap_tree=detailed' shot)" = 1 ] && good=$((good + 1))
		elif grep -Eq 'has ended|is no process|runs under memusage, but|has no memory' said; then
			sentences=$((sentences + 1))
		else
			other="$other$(cat said)"
		fi
	done
	wait $job
	is "$other" '' "$text: said clearly ($good snapshots, $sentences sentences)"
}
comm='sh'
mishap 'killed' memusage -q --record=r.mur sh -c \
	'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sh -c "sleep 0.07; kill -9 \$\$"; done'
mishap 'executes' memusage -q --record=r.mur sh -c \
	'i=$((${i:-0} + 1)); export i; [ $i -lt 40 ] || exit; sleep 0.02; exec sh -c "$0" "$0"' \
	'i=$((i + 1)); [ $i -lt 40 ] || exit; sleep 0.02; exec sh -c "$0" "$0"'
mishap 'ends' memusage -q --record=r.mur sh -c \
	'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do (sleep 0.05); done'
done_testing
