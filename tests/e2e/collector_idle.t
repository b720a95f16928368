#!/bin/sh
# collector_idle.t -- while a program only counts, the collector sleeps.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage

# The collector of this directory, and how often its threads gave up the processor.
collector() {
	for pid in $(pgrep -x memusage-collec); do
		[ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && echo "$pid" && return
	done
}
switches() {
	cat "/proc/$1"/task/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'
}

memusage -o report perl -e 'my @a = (1) x 1000000; sleep 3; push @a, @a' &
sleep 1
pid=$(collector)
isnt "$pid" '' 'there is a collector'
before=$(switches "$pid")
sleep 1
is "$(switches "$pid")" "$before" 'it does not wake up while nothing happens'
num "$(awk '/^RssShmem/ { print $2 }' "/proc/$pid/status")" -lt 1024 \
	'it looks at little of the arena'
wait
like "$(cat report)" 'Memory usage summary' 'and is there at the end'
done_testing
