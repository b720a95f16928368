#!/bin/sh
# dhat_view.t -- DHAT's own viewer opens our profiles in a browser without an error, and what it
# shows by each of its metrics is, character by character, what memusageprint prints.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl
need_bin memusage memusageprint
viewer=$(find /usr/libexec/valgrind /usr/lib -name dh_view.html 2>/dev/null | head -1)
[ -n "$viewer" ] || skip_all 'no dh_view.html here: valgrind has it'
for browser in chromium chromium-browser google-chrome none; do
	command -v $browser >/dev/null 2>&1 && break
done
[ "$browser" != none ] || skip_all 'no chromium here'
perl -MJSON::PP -MMIME::Base64 -e 1 2>/dev/null || skip_all 'no JSON::PP here'

words='total-bytes total-blocks tiny short-lived unused-bytes unused-blocks low-bytes low-blocks gmax
end reads high-reads writes high-writes'

# shows NAME FILE METRICS
shows() {
	rm -rf view
	mkdir view
	run perl "$MU_SRC/tests/lib/dhat_view.pl" "$viewer" "$2" "$MU_TMP/view"
	is "$err$out" "$3 metrics" "$1: the viewer opens it, and has $3 metrics"
	number=0
	for word in $words; do
		if [ -f view/$number ]; then
			tail -n +2 view/$number >want
			memusageprint --sort="$word" "$2" | sed '/^Legend:/,$d' | sed '$d' >got
			same got want "$1 by $word"
		fi
		number=$((number + 1))
	done
}

cases=$MU_SRC/tests/fuzz/corpus/dhat
shows 'a profile of DHAT' "$cases/heap1" 14
shows 'access counts' "$cases/acc2" 14
shows 'copies' "$cases/copy1" 3
shows 'events' "$cases/adhoc1" 3
shows 'nothing at all' "$cases/empty" 14
for odd in zero te0 sat huge prefix nofs tuth wide many; do
	shows "an odd file: $odd" "$cases/odd_$odd" 14
done
shows 'other units' "$cases/odd_units" 3

# ours METRICS OPTION... PROGRAM [ARG...]
ours() {
	metrics=$1
	shift
	memusage -o report --dhat-out-file=ours.json "$@" >/dev/null
	shows "$*" ours.json "$metrics"
	want=$(sed -n 's/^==.*Total: *\([0-9,]*\) bytes in \([0-9,]*\) .*/\1 \2/p' report)
	got=$(sed -n 's/^    Total: *\([0-9,]*\) bytes .* in \([0-9,]*\) .*/\1 \2/p' view/1)
	is "$got" "$want" '... and its sums are right'
}

ours 6 "$WORKLOADS/dhat_rules"
ours 6 "$WORKLOADS/names"
ours 6 ls -l /usr/bin
if command -v qemu-x86_64 >/dev/null; then
	ours 14 --accesses=emulate --time-unit=i "$WORKLOADS/accesses" 2
else
	skip 'qemu-user is not installed' 16
fi

done_testing
