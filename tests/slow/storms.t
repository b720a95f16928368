#!/bin/sh
# storms.t -- thousands of threads and forks, in every mode: all are accounted for.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin forks threads

# storm TEXT CMD...: in every mode
storm() {
	storm_text=$1
	shift
	profiled "$storm_text" -- "$@"
	profiled "$storm_text, data file" -d data.dat -- "$@"
	profiled "$storm_text, call stacks" --top -- "$@"
	rm -f data.dat
}

# So many forks at once can be faster than the collector on a busy machine. No fork waits for
# it: what found no room is counted, and each child is in one place or the other.
for options in '' '-d data.dat' '--top'; do
	# shellcheck disable=SC2086  # words are wanted
	run memusage -o report $options -- forks storm 10000
	is "$status" 0 "10,000 forks $options"
	lost=$(sed -n 's/^memusage: not recorded: \([0-9]*\) forked processes.*/\1/p' report)
	calls=$(report_field child calls)
	num "$calls" -le 30000 "10,000 forks $options: none is counted twice"
	num "$calls" -ge $((30000 - 6 * ${lost:-0})) "10,000 forks $options: ${lost:-0} found no room"
	num "${lost:-0}" -lt 5000 "10,000 forks $options: most are recorded"
done
storm 'forks of forks of forks' forks nested 10
storm 'forks beside threads' forks threads 500
storm '10,000 threads, one after the other' threads churn 10000
storm '1,000 threads at once' threads crowd 1000
storm 'threads that are cancelled' threads cancel-async 1000
storm 'detached threads' threads detach 1000
done_testing
