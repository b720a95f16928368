#!/bin/sh
# live_foreign.t -- root that asks about another user's process has that user's rights only: whatever
# that user answers, no file of root's is touched, nothing of root's is seen, and nothing crashes; and
# who is honest is answered as ever.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage memusageprint live stranger
need_users
PATH=$WORKLOADS:$PATH
umask 077

# start COMMAND...: a run of `live`; $pid, $launcher, $name (the collector's), $collector
start() {
	begin_live "$@"
	tell alloc 10 1000
	find_collector
}
call() { memusage -q "--pid=$pid" "$@"; }

# ---- who is honest

start as_user memusage -o "$user_dir/report" --massif "--massif-out-file=$user_dir/m" --depth=5 live
run call status
is "$status" 0 'status'
like "$out" "^process $pid live, recorded for " '... of a process of another user'
like "$out" '^heap: 9.77 KiB live' '... its heap'
like "$out" 'of memory now' '... and what the kernel sees'
run memusage "--pid=$pid" detailed_snapshot
is "$status" 0 'detailed_snapshot'
is "$(field mem_heap_B massif.vgdb.out)" 10000 '... has every byte'
like "$(cat massif.vgdb.out)" 'n[0-9]*: 10000 0x[0-9A-F]*: keep \(([^ ]*/)?live.c:' '... with names'
like "$(head -1 massif.vgdb.out)" 'desc: .*--depth=5' '... and the options of the run'
is "$err" "memusage: detailed_snapshot of process $pid: massif.vgdb.out" '... and is told of'
is "$(stat -c '%u %a' massif.vgdb.out)" '0 600' "... it is root's"
run call snapshot small.out
is "$status,$(field heap_tree small.out)" 0,empty 'snapshot'
run call all_snapshots all.out
is "$status" 0 'all_snapshots'
num "$(grep -c '^snapshot=' all.out)" -ge 2 '... are some'
echo mine >"xtmemory.kcg.$pid.2"
run call xtmemory
run call xtmemory
is "$status" 0 'xtmemory'
like "$(cat "xtmemory.kcg.$pid.1")" '^events: curB' '... a tree'
is "$(cat "xtmemory.kcg.$pid.2")" mine '... over no file that is there'
like "$(cat "xtmemory.kcg.$pid.3")" '^events: curB' '... but the next'
run call xtmemory tree.ms
like "$(cat tree.ms)" '^heap_tree=detailed' '... in the form that its name says'
run call leaks
is "$status" 0 'leaks'
like "$out" '^keep .* 100\.0% of the 9\.77 KiB live now' '... who holds what'
run memusage "--pid=$pid" record now.mur
is "$status,$err" "0,memusage: record of process $pid: now.mur" 'record'
is "$(stat -c '%u %a' now.mur)" '0 600' "... it is root's"
like "$(memusageprint --leaks now.mur)" '^keep .* 9\.77 KiB live now' '... and holds everything'
run memusagestat --html=own.html now.mur
if [ "$status" = 0 ]; then
	run call html now.html
	is "$status,$(stat -c '%u %a' now.html)" '0,0 600' 'html'
	num "$(grep -c '"keep"' now.html)" -ge 1 '... is a page'
else
	skip 'built without the page' 2
fi
run call record /nonexistent/file
is "$status" 125 'a recording that cannot be written'
run call stop
is "$status" 0 'stop'
tell alloc 5 7
like "$(call status)" '^recording: stopped' '... stops'
run call start
is "$status" 0 'start'
run call snapshot /nonexistent/file
is "$status" 125 'a file that cannot be written'
like "$err" 'nonexistent' '... is named'
run memusage -q "--pid=$launcher" snapshot launched
is "$status,$(field mem_heap_B launched)" 0,10000 'the process of memusage itself stands for its program'
end
as_user sleep 1000 &
job=$!
# A shell starts it, or becomes it.
sleeps() {
	stranger=$(pids sleep "$job")
	[ "$stranger" ] || { [ "$(cat "/proc/$job/comm")" = sleep ] && stranger=$job; }
}
until_true sleeps
run call status
is "$status" 125 'a process that is gone'
run memusage "--pid=$stranger" status
is "$status" 125 'a process that does not run under memusage'
like "$err" "process $stranger does not run under memusage" '... is said not to'
like "$out" 'memusage --record -- sleep 1000' '... and what to do'
kill "$stranger"

# Memory whose collector is gone, and a library that has none.
mkfifo go
exec 9<>go
start as_user memusage -q "--record=$user_dir/r.mur" sh -c 'exec 8<&0
	setsid live <&8 & read -r _ <&9'
echo >&9
wait "$job"
pid=$(pids live | while read -r one; do
	[ "$(stat -c %u "/proc/$one")" = 64123 ] && echo "$one"; done)
collector=$(pids memusage-collec | while read -r one; do
	[ "$(stat -c %u "/proc/$one")" = 64123 ] && echo "$one"; done)
kill -9 "$collector"
tell alloc 10 1000
if [ -e "/proc/$pid/map_files" ]; then
	run call detailed_snapshot orphan
	is "$status,$(field mem_heap_B orphan)" 0,20000 'memory whose collector is gone'
else
	skip 'no map_files here' 1
fi
end
start as_user env "MEMUSAGE_DIR=$user_dir" LD_PRELOAD="$MU_BUILD/lib/memusage/libmemusage.so" live
pid=$(pids live "$job")
pid=${pid:-$job}
run call status
like "$out" '^heap: 9.77 KiB live' 'a library that works alone'
end

# ---- who is not

echo untouched >secret
chmod 600 secret
mkdir empty
start as_user memusage -q -o /dev/null --massif "--massif-out-file=$user_dir/m" live
cd empty || exit

# lie HOW [WORD]...: somebody answers as HOW says; root asks for what it has
lie() {
	mkfifo ../hold
	# The one before was ready, too.
	rm -f ../said
	how=$1
	shift
	(cd "$user_dir" && exec setpriv --reuid=64123 --regid=64123 --clear-groups --inh-caps=-all \
		"$WORKLOADS/stranger" collector "$how" "$name" "$pid" "$@") <../hold >../said 2>&1 &
	liar=$!
	exec 5>../hold
	until_true grep -q ready ../said || diag "$(cat ../said)"
}
silence() {
	exec 5>&-
	wait "$liar"
	rm -f ../hold
}
# harmless TEXT: nothing but what was asked for has been written
harmless() {
	is "$(cat ../secret)" untouched "$1: no file of root's is changed"
	is "$(ls)" '' '... nor made'
	unlike "$err" 'signal' '... nothing crashes'
	# Where the real collector runs, it may have been asked first, and its answer was enough.
	[ "$real" = runs ] || until_true grep -q asked ../said
	asked=$(sort -u ../said | grep asked)
	[ "$real$asked" = runs ] || is "$asked" 'asked by 64123' '... and it was the user who asked'
}

# What would be taken for options, if it were; then with what would be an error.
for how in words lines silent twice short long; do
	[ "$how" != words ] || lie words "--output=$MU_TMP/secret" --xtree-memory=allocs \
		"--xtree-memory-file=$MU_TMP/empty/tree" "--root=$MU_TMP"
	[ "$how" = words ] || lie "$how" "--output=$MU_TMP/secret" --to=json --depth=x --record \
		"--massif-out-file=$MU_TMP/empty/made" --xtree-memory=allocs \
		"--xtree-memory-file=$MU_TMP/empty/tree" --depth=1 \
		"--dhat-out-file=$MU_TMP/empty/dhat" --spacetime-files=text --debuginfod \
		"--outp=$MU_TMP/secret" "--root=$MU_TMP" "$MU_TMP/secret" -- --record
	# Of those that can be believed the real one would answer, too.
	real=runs
	case $how in words | lines | twice) real=stopped && kill -STOP "$collector" ;; esac
	run call detailed_snapshot ../shot
	result=$status
	harmless "an answer with $how"
	is "$result,$(field mem_heap_B ../shot)" 0,10000 '... and what was asked for is written'
	is "$(grep -c -e made -e '^desc' ../shot)" 1 '... as it is'
	rm -f ../shot
	kill -CONT "$collector"
	silence
done
process=$pid
real=unasked
for how in empty unsealed wraps number file; do
	lie $how
	pid=$liar
	for command in status snapshot stop leaks record; do
		run call $command
		is "$status" 125 "memory: $how: $command fails"
		harmless '... with a sentence'
	done
	silence
done
pid=$process
end
cd ..

# ---- what is executed with the user's rights has nothing of ours

mkdir -p spy/bin && chmod 755 . spy spy/bin
cp "$MU_BUILD/bin/memusage" spy/bin
ln -s "$MU_BUILD/lib" spy/lib
cat >spy/bin/memusageprint <<'END'
#!/bin/sh
exec >&2
echo "ids: $(id -u) $(id -g) $(id -G)"
grep -E '^(Uid|Gid|Groups|NoNewPrivs|Cap(Inh|Prm|Eff|Amb)):' /proc/self/status
echo "cwd: $(readlink /proc/self/cwd)"
echo "terminal: $(cut -d' ' -f7 /proc/self/stat)"
for fd in /proc/$$/fd/*; do
	echo "open: ${fd##*/} $(readlink "$fd")"
done
tr '\0' '\n' </proc/$$/environ | sed 's/^/variable: /'
printf 'escape: \033]0;x\007 \302\233 end\n'
exit 1
END
chmod 755 spy/bin/memusageprint
start as_user memusage -q -o /dev/null --massif "--massif-out-file=$user_dir/m" live
exec 7<secret
run env SECRET=42 spy/bin/memusage -q "--pid=$pid" snapshot shot
exec 7<&-
is "$status" 125 'what memusageprint has'
like "$err" '^ids: 64123 64123 64123$' '... the user'
is "$(printf '%s\n' "$err" | sed -n 's/^[UG]id://p' | sed 's/.x09/ /g' | sort -u)" \
	' 64123 64123 64123 64123' '... by all of its IDs'
is "$(printf '%s\n' "$err" | grep '^Cap' | grep -vc ' *0000000000000000$')" 0 '... no capability'
like "$err" '^NoNewPrivs:.*1$' '... and no way to others'
like "$err" '^cwd: /$' '... no directory'
like "$err" '^terminal: 0$' '... no terminal'
unlike "$err" '^variable: .*(SECRET|MU_TMP|HOME)' '... no variable'
unlike "$err" '^open: .*secret' '... no file of ours'
is "$(printf '%s\n' "$err" | grep '^open:' | grep -vc -e pipe: -e /dev/null -e '(deleted)$' \
	-e bin/memusageprint)" 0 '... nothing that we have open'
like "$err" '^escape: .x1b\]0;x.x07 .xc2.x9b end$' '... and what it prints drives no terminal'
end

# ---- the bound of what is handed over

cat >spy/bin/memusageprint <<'END'
#!/bin/sh
trap '' XFSZ
for word; do
	case $word in --output=*) output=${word#--output=} ;; esac
done
truncate -s 1025M "$output" 2>/dev/null && exit 0
truncate -s 1024M "$output" || exit 1
exit 0
END
start as_user memusage -q -o /dev/null --massif "--massif-out-file=$user_dir/m" live
run spy/bin/memusage -q "--pid=$pid" snapshot /dev/null
is "$status" 0 'a file of 1 GiB is taken, and no longer one can be made'
end
done_testing
