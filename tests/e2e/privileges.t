#!/bin/sh
# privileges.t -- a child that gives up root's rights has no memory any more that a root process records
# into, and is recorded to its end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin privileges
[ "$(id -u)" = 0 ] || skip_all 'only root has rights to give up'
setpriv --reuid=64123 --clear-groups true 2>/dev/null || skip_all 'root has not the rights of root here'

memory() { printf '%s\n' "$out" | sed -n "s/^$1: \([0-9]\)/\1/p" | sort -u; }
without_memory() { sed '/^[a-z]*: [0-9 ]*$/d; /^[a-z]*:$/d'; }

# changes HOW [THREADS] -- OPTION...: it runs as alone; $calls is what the child is said to have called.
changes() {
	how=$1
	threads=0
	[ "$2" = -- ] || { threads=$2 && shift; }
	shift 2
	rm -rf empty
	run privileges "$how" "$threads"
	alone="$status $(printf '%s\n' "$out" | without_memory)"
	rm -rf empty report data mo rec
	run memusage -o report --children=lines "$@" privileges "$how" "$threads"
	text="$how, $threads threads, memusage $*"
	is "$status $(printf '%s\n' "$out" | without_memory)" "$alone" "$text: it runs as alone"
	like "$(cat report)" '^ malloc\| +6|privileges: .* calls: [1-9]' "$text: the parent is recorded to its end"
	num "$(memory parent | wc -w)" -eq 1 "$text: the parent has one memory file"
	calls=$(sed -n 's/.*privileges (since its fork): .* calls: \([0-9]*\).*/\1/p' report)
}

for option in '' '-d data' '--top' '--massif --massif-out-file=mo' '--record=rec' '-u -m -d data'; do
	for how in setuid setreuid setresuid; do
		is_turn 2 || continue
		# shellcheck disable=SC2086  # options
		changes $how -- $option
		num "$(memory child | wc -w)" -eq 1 "$text: the child has memory to record into"
		isnt "$(memory child)" "$(memory parent)" "$text: ... which is not its parent's"
		num "$calls" -ge 12000 "$text: ... and is recorded to its end"
	done
done
for threads in 1 20; do
	changes setuid $threads -- -d data
	isnt "$(memory child)" "$(memory parent)" "$text: the child has memory of its own"
	num "$calls" -ge $((threads * 12000)) "$text: ... and is recorded to its end"
done
changes back -- --top
is "$(memory child)" "$(memory parent)" 'rights that can be taken back are not given up'
num "$calls" -ge 12000 '... and the child is recorded to its end'
changes vfork --
changes cloned -- -d data
isnt "$(memory child)" "$(memory parent)" 'a child of a raw clone() has memory of its own'
changes confined -- -d data
is "$(memory child)" '' 'without a way to the collector the child has no memory of the recorder'
num "$calls" -ge 6000 '... and is recorded until then'
changes confined 20 -- --top
is "$(memory child)" '' 'nor has one with threads'
done_testing
