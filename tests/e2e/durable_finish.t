#!/bin/sh
# durable_finish.t -- memusage --finish makes every report of a run with --durable that was killed,
# refuses one that is not over, and takes nothing that is no arena for one.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/durable.sh"
need perl setsid
need_bin memusage memusageprint live
PATH=$WORKLOADS:$PATH

# `live` under memusage, killed as a whole after it has done as it was told. It is `whole` then.
start() {
	rm -f in out && mkfifo in out
	begin_whole sh -c 'exec "$@" <in >out' sh memusage --durable --record=run.mur "$@" live
	exec 3>in 4<out
}
tell() {
	echo "$*" >&3
	read -r _ <&4
}
cut_off() {
	kill_whole
	exec 3>&- 4<&-
}

# ---- every report

start -o never --data=run.dat
tell alloc 1000 100
tell spike 1 500000
tell free 400
until_true test -s run.dat
sleep 0.3
cut_off
ok 'a kill leaves the arena' test -e run.mur.arena
is "$(stat -c %a run.mur.arena)" 600 '... for nobody else'
run memusageprint --top run.mur
like "$err" 'are missing; they are added by memusage --finish run.mur$' '... memusageprint says what to do'
has_drawer=
[ -x "$MU_BUILD/bin/memusagestat" ] && has_drawer=1
run memusage -o report --top --tree --leaks --temporary --growth=start..peak --massif \
	--massif-out-file=run.massif --xtree-memory=allocs --xtree-memory-file=run.xt \
	${has_drawer:+--html=run.html --png=run.png --data=run.dat} -v --finish run.mur
is "$status,$err" 0, '--finish'
nok '... takes the arena away' test -e run.mur.arena
like "$(cat report)" '^spike \(([^ ]*/)?live.c:[0-9]+\) allocated .* when the heap was largest' '... --top'
like "$(cat report)" '60,000 bytes|58\.6 KiB' '... --leaks knows what was live'
like "$(cat report)" '^memusage: the run was killed, and memusage with it' '... and says what happened'
like "$(cat report)" '^memusage: it was started as: memusage --durable --record=run.mur ' '... with the command'
like "$(cat run.massif)" '^heap_tree=peak$' '... --massif'
like "$(cat run.xt)" '^events: ' '... --xtree-memory'
if [ -n "$has_drawer" ]; then
	like "$(head -c 300 run.html)" '<!(DOCTYPE|doctype)' '... --html'
	is "$(head -c 4 run.png | tr -d '\211')" PNG '... --png'
	run memusagestat run.dat again.png
	is "$status,$err" 0, '... the data file is complete'
else
	skip 'no memusagestat' 3
fi
run memusageprint --to=json run.mur
like "$out" '"now":60000,' 'the recording is as any other'
like "$out" '"rss_anon":[1-9]' '... with the timeline that the collector had taken'
run memusage --finish run.mur
is "$status" 125 'it is finished once'
like "$err" '^memusage: run.mur: the recording is complete: memusageprint and memusagestat' \
	'... and then as any other'

start -q --dhat --dhat-out-file=never.dhat
tell alloc 10 100
cut_off
run memusage --dhat --dhat-out-file=run.dhat -o report --finish run.mur.arena
is "$status,$err" 0, '--finish takes the name of the arena, too'
like "$(cat run.dhat)" '"dhatFileVersion"' '... --dhat'

# ---- a run that is not over

start -q
tell alloc 10 100
run memusage --finish run.mur
is "$status" 125 'a run that goes on'
like "$err" '^memusage: run.mur.arena: the run is not over: process [0-9]+ still records into it' '... is refused'
pid=$(pids live "$whole")
run memusage "--pid=$pid" top
like "$out" '^keep \(' '... --pid asks it'
run memusageprint --top run.mur
like "$out" '^keep \(' '... and memusageprint reads it'
run memusage -q --durable --record=run.mur true
is "$status" 125 'a second run does not take its files'
# Without memusage a process goes on.
collectors=$(pids memusage-collec "$whole")
# shellcheck disable=SC2086
kill -STOP $collectors
# shellcheck disable=SC2086
kill -9 "$whole" $collectors
tell alloc 10 100
run memusage --finish run.mur
like "$err" 'the run is not over: process [0-9]+ still' '... nor while one process is left'
tell alloc 10 100
exec 3>&- 4<&-
until_true sh -c "! kill -0 $pid" 2>/dev/null
run memusage -o report --finish run.mur
is "$status,$err" 0, '... after its end it can be finished'
like "$(cat report)" 'malloc\| *3[0-9] ' '... with what came after the kill'

# ---- the next run

start -q
tell alloc 10 100
cut_off
run memusage -q --durable --record=run.mur sh -c 'exit 3'
is "$status" 3 'the next run of the same name'
like "$err" 'run.mur: the last run was killed, or is not over: what it recorded is in run.mur.1' \
	'... moves what was left'
ok '... has its own' memusageprint --summary run.mur
run memusage -o report --finish run.mur.1
is "$status,$err" 0, '... and that can still be finished'
like "$(cat report)" 'malloc\| *1[0-9] ' '... with what it had'
start -q
tell alloc 10 100
cut_off
cp --sparse=always run.mur.arena other.arena
run memusage -q --record=other sh -c :
run memusage --finish other.arena
is "$status" 125 'a recording of another run'
like "$err" 'other: not the recording of the run of other.arena; name another file by --record' \
	'... is not added to'
run memusage -q --record=own.mur --finish other.arena
is "$status,$err" 0, '... another file is'
ok '... which is a recording' memusageprint --top own.mur

# ---- where there can be none

run memusage --durable true
is "$status" 125 '--durable without a recording'
run memusage --durable --record=x.mur --png=x.png true
like "$err" 'needs --data=FILE' '... a picture of what would be lost'
if unshare -m true 2>/dev/null; then
	mkdir small odd
	# shellcheck disable=SC2016
	run unshare -m sh -c 'mount -t ramfs none odd && cd odd &&
		memusage --durable --record=x.mur true'
	is "$status" 125 'a file system of an unknown kind'
	like "$err" 'its file system \(number 0x858458f6\) is of a kind that was never tried' '... is refused'
	# shellcheck disable=SC2016
	run unshare -m sh -c 'mount -t tmpfs -o size=20k none small && cd small && exec "$@"' sh \
		memusage -o ../report --durable --record=x.mur live
	is "$status" 0 'a disk that is full from the start'
	like "$err" 'x.mur.arena: No space left on device; it is in memory' '... is told of'
	recorder_says=$(cat report)
	like "$recorder_says" '^Memory usage summary' '... and the program is recorded nevertheless'
	# shellcheck disable=SC2016
	run unshare -m sh -c 'mount -t tmpfs -o size=600k none small && cd small && exec "$@"' sh \
		memusage -o ../report --durable --record=x.mur manystacks
	full=$out
	is "$status" 0 'a disk that becomes full'
	run manystacks
	is "$full" "$out" '... does nothing to the program'
	like "$(cat report)" 'No space left|not recorded' '... and is told of'
	# Processes that begin when there is no room for the first page of an image.
	printf '#!/bin/sh\n[ "$1" -eq 0 ] || "$0" $(($1 - 1)) || exit\necho "$1"\n' >nested
	chmod +x nested
	for size in 300k 700k 800k 1m; do
		# shellcheck disable=SC2016
		run unshare -m sh -c 'mount -t tmpfs -o size=$0 none small && cd small && exec "$@"' \
			$size memusage -o ../report --durable --record=x.mur ../nested 20
		is "$status,$(echo "$out" | tr '\n' ' ')" "0,$(seq 0 20 | tr '\n' ' ')" \
			"20 processes at once on a disk of $size"
	done
else
	skip 'no mount namespaces here' 12
fi

# ---- hostile arenas: any outcome but a crash

start -q
tell alloc 50 100
cut_off
cp run.mur kept.mur
bad=
for i in $(seq 40); do
	rm -f run.mur.arena
	cp --sparse=always "${saved:=$(mv run.mur.arena saved && echo saved)}" run.mur.arena
	cp kept.mur run.mur
	# The header, the slot table, the first image, the ledger.
	at=$(awk -v i="$i" 'BEGIN { srand(i); split("0 4096 36864 36864 41000", place, " ")
		printf "%d", place[1 + i % 5] + int(rand() * 3000) }')
	head -c 64 /dev/urandom | dd of=run.mur.arena bs=1 seek="$at" conv=notrunc 2>/dev/null
	(ulimit -t 60 && memusage -q --top --finish run.mur >hostile.out 2>&1 </dev/null)
	status=$?
	[ "$status" = 0 ] || [ "$status" = 125 ] || bad="$bad $i:$at:$status"
done
is "$bad" '' 'damaged arenas'
head -c 5000 saved >run.mur.arena
run memusage --finish run.mur
is "$status" 125 'a cut one'
done_testing
