#!/bin/sh
# gate_noise.t -- a gate does not fail for what varies anyway: ten programs, some with threads, are judged
# twenty times each at +1 %, without a false alarm; and 3 % more of the heap are always found.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget

for metric in 'heap peak' 'heap end' total blocks calls temporary 'stack peak' 'rss peak'; do
	echo "$metric > +1%"
done >budget.txt
seq 20000 >numbers

# gate TEXT PROGRAM [ARGUMENT]...
gate() {
	text=$1
	shift
	if ! command -v "$1" >found; then
		skip "no $1 here"
		return
	fi
	for i in 1 2 3; do
		memusage -q --record="old$i.mur" "$@" >output 2>&1 </dev/null
	done
	alarms=0
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		memusage -q --runs=3 --budget=budget.txt --baseline=old1.mur --baseline=old2.mur \
			--baseline=old3.mur "$@" >output 2>found.txt </dev/null && continue
		alarms=$((alarms + 1))
		diag "$(sed q found.txt)"
	done
	is "$alarms" 0 "$text: no false alarm in 20"
}
gate 'a program that does the same' "$WORKLOADS/budget" 2000 20
gate 'ls' ls -lR /usr/share/doc/base-files
gate 'sort' sort -r numbers
gate 'sort with threads' sort --parallel=4 -S 1M numbers
# shellcheck disable=SC2016  # for that shell
gate 'a shell' sh -c 'i=0; while [ $i -lt 200 ]; do i=$((i + 1)); done; ls / | sort'
gate 'python with random hashes' python3 -c 'print(len({str(i): i for i in range(2000)}))'
gate 'python with threads' python3 -c 'import threading
t = [threading.Thread(target=lambda: [str(i) * 9 for i in range(3000)]) for _ in range(4)]
[x.start() for x in t]; [x.join() for x in t]'
# shellcheck disable=SC2016  # perl's
gate 'perl' perl -e 'my %h = map { $_ => "x" x $_ } 1 .. 500; print scalar keys %h'
gate 'grep' grep -c 9 numbers
gate 'xz with threads' xz -T2 -k -c -1 numbers

memusage -q --record=old.mur "$WORKLOADS/budget" 2000 20 >output
missed=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	memusage -q --fail-if='heap peak > +1%' --baseline=old.mur "$WORKLOADS/budget" 2060 20 \
		>output 2>&1
	[ $? -eq 100 ] || missed=$((missed + 1))
done
is "$missed" 0 '3 % more are found in each of 20 runs'
done_testing
