#!/bin/sh
# collector_idle.t -- while a program only counts, the collector sleeps; with a data file or call
# stacks, while the program does nothing; what happens then has its right time.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# Others who look for the collector of some process wake all that they can find: where namespaces can
# be made, none finds these.
alone=''
! unshare -n true 2>/dev/null || alone='unshare -n'
XDG_RUNTIME_DIR=$MU_TMP
export XDG_RUNTIME_DIR

# The collector of this directory, and how often its threads gave up the processor.
collector() {
	for pid in $(pids memusage-collec); do
		[ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && echo "$pid" && return
	done
}
switches() {
	cat "/proc/$1"/task/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'
}

# wakes SECONDS ENOUGH: the fewest in so many, of some looks. Where others wake it, more are made.
wakes() {
	least=1000000
	for look in 1 2 3 4 5 6 7 8 9 10 11 12; do
		before=$(switches "$pid")
		sleep "$1"
		woken=$(($(switches "$pid") - before))
		[ $woken -gt $least ] || least=$woken
		[ "$look" -lt 3 ] || [ $least -gt "$2" ] || break
	done
	echo $least
}
# is_woken SECONDS MOST TEXT: the collector wakes as often at most. ThreadSanitizer has a thread that wakes
# ten times a second, in each process.
is_woken() {
	woken=$(wakes "$1" "$2") # what follows needs the pause, too
	if is_sanitized thread; then
		skip "ThreadSanitizer wakes the collector: $3"
	else
		num "$woken" -le "$2" "$3"
	fi
}
# A program of our making waits until it is let go on. begin OPTION... -- COMMAND...
mkfifo hold
begin() {
	rm -rf ready
	# shellcheck disable=SC2086  # words are wanted
	$alone memusage -o report "$@" <hold &
	exec 3>hold
	until_true test -e ready
	pid=$(collector)
}
end() {
	exec 3>&-
	wait
}

begin perl -e 'my @a = (1) x 1000000; mkdir "ready"; sysread STDIN, $_, 1; push @a, @a'
isnt "$pid" '' 'there is a collector'
is_woken 0.8 0 'it does not wake up while nothing happens'
num "$(awk '/^RssShmem/ { print $2 }' "/proc/$pid/status")" -lt 1024 \
	'it looks at little of the arena'
end
like "$(cat report)" 'Memory usage summary' 'and is there at the end'

# ---- a data file: the tick of a millisecond rests, and goes on with the next event

begin -d data.dat -- perl -e 'my @a = (1) x 100000; mkdir "ready"; sysread STDIN, $_, 1;
	push @a, @a; sleep 1'
is_woken 1.1 20 'with a data file it wakes a few times a second'
end
like "$(cat report)" 'Memory usage summary' 'it is there at the end'
is "$(od -An -tu8 -j24 -N8 data.dat | tr -d ' ')" \
	"$(sed -n 's/.*heap peak: \([0-9]*\),.*/\1/p' report | head -1)" 'with all data'
# Times, behind two headers, in seconds: one gap of more than 3 s.
od -An -v -tu4 -w24 -j48 data.dat | awk '
	{ now = ($5 + $6 * 4294967296) / 1e9; if (now - last > 3) { gap++; end = now } last = now
	  if (end && now - end < 0.5 && now - end > most) most = now - end }
	END { print gap + 0 }' >gaps
is "$(cat gaps)" 1 'and its times have one gap'

# ---- call stacks: the resident memory is looked at ten times a second, and no more than that

begin --massif-out-file=m.out -- perl -e 'my @a = (1) x 1000; mkdir "ready"; sysread STDIN, $_, 1;
	push @a, @a'
is_woken 1.1 40 'with call stacks it wakes a few times a second'
end
num "$(grep -c ^snapshot= m.out)" -gt 10 'snapshots were taken'

# ---- many processes: each is looked at less often, so that all of them cost no more than a few

# Sixty processes wait for the end of the first one, so all are there at its last reading. Load makes
# the gaps only larger.
begin --sample --record=many.mur -- perl -e 'pipe R, W; for (1 .. 60) {
	fork or do { close W; close STDIN; sysread R, $_, 1; exit } }
	mkdir "ready"; sysread STDIN, $_, 1'
# shellcheck disable=SC2012  # the links are wanted
until_true eval '[ "$(ls -l "/proc/$pid/fd" | grep -c /status)" -ge 61 ]'
sleep 1.5
end
memusageprint --to=json many.mur 2>err | sed -n '/"timeline":\[/,/\]/p' |
	grep -o '"time_ns":[0-9]*' | cut -d: -f2 | sed '$d' |
	awk '{ at[NR] = $1 / 1e6 }
		END { for (i = NR; i > 1 && at[i] > at[NR] - 1000; i--)
				if (!least || at[i] - at[i - 1] < least) least = at[i] - at[i - 1]
			print NR, int(least) }' >gaps
read -r readings least <gaps
num "$readings" -ge 3 'the first of 61 processes is looked at'
num "$least" -ge 150 '... six times a second at most'

# ---- samples: what is recorded has its time, so the clock need not move while the program works

# The blocks from before a pause of a second are freed after it.
begin --sample=4K --record=sampled.mur -- perl -e 'my @a = map { "x" x 3000 } 1 .. 300;
	mkdir "ready"; sysread STDIN, $_, 1; sleep 1; @a = ();'
end
memusageprint --to=dhat sampled.mur 2>err | tr -d ' \n' |
	grep -o '"tb":[0-9]*,"tbk":[0-9]*,"tl":[0-9]*' | sed 's/[^0-9][^0-9]*/ /g' |
	sort -n | tail -1 | awk '{ print int($3 / $2 / 1e6) }' >lived
num "$(cat lived)" -ge 950 'sampled blocks have lived as long as they have'
begin --sample -- perl -e 'mkdir "ready"; my $end = time + 60;
	while (time < $end) { my @a = map { [$_] } 1 .. 1000; last if -e "enough" }'
is_woken 1.1 100 'a program that allocates all the time does not wake it'
mkdir enough
end

# The first block of a turn is born then, not when the clock had gone to rest; and the first snapshot
# that knows of a turn is of it.
for threads in 1 3; do
	memusage -o report --massif-out-file=m.out --max-snapshots=1000 --record=r.mur \
		"$WORKLOADS/pauses" $threads 5 1000 >turns
	is "$(grep -c turn turns)" 5 "$threads: all turns"
	memusageprint --to=dhat r.mur 2>err | tr -d ' \n' |
		grep -o '"tb":[0-9]*,"tbk":[0-9]*,"tl":[0-9]*' | sed 's/[^0-9][^0-9]*/ /g' |
		awk '$1 % 54321 == 0 { n += $2; ns += $3 } END { print n, int(ns / 1e6) }' >lived
	read -r blocks lived <lived
	is "$blocks" 5 '... the first block of each'
	# 100 ms in truth, less where the collector, which moves the clock, gets no processor. 0: the
	# clock was at rest.
	num "$lived" -ge 20 '... has lived'
	num "$lived" -le $(($(sed 's/.*lived=\([0-9]*\).*/\1/' turns | paste -sd +) + 200)) \
		'... as long as it has'
	awk 'FNR == NR { split($2, at, "="); due[NR] = at[2]; next }
		/^time=/ { time = substr($0, 6) }
		/^mem_heap_B=/ { k = int(substr($0, 12) / 1048576)
			if (k > 0 && !(k in seen)) { seen[k] = 1; off = time - due[k]
				if (n++ == 0) least = most = off
				least = off < least ? off : least; most = off > most ? off : most } }
		END { print n, int(most - least) }' turns m.out >spread
	read -r met wide <spread
	is "$met" 5 '... they are in snapshots'
	num "$wide" -le 400 '... at their times'
done
done_testing
