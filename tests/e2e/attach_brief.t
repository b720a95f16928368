#!/bin/sh
# attach_brief.t -- what is recorded while a process runs has samples of its memory of the first and the
# last moment, however short the time between them is.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint heaps
need mkfifo python3
need_attach
PATH=$WORKLOADS:$PATH

# get EXPRESSION: of the recording, as `d`; its samples of resident memory are `r`
get() {
	memusageprint --to=json brief.mur 2>/dev/null | python3 -c "
import json, sys
d = json.load(sys.stdin)
r = [s['rss_anon'] for s in d['timeline']]
print($1)"
}

begin_live heaps
echo 'make 0 30 1000000' >&3
read -r _ <&4
for round in 1 2 3; do
	rm -f brief.mur
	run memusage --attach="$job" --duration=1ms --record=brief.mur --fail-if='rss peak > 900M' -q
	is "$status" 0 "round $round: the peak is known, and low" || diag "$err"
	num "$(get 'len(r)')" -ge 2 '... two samples or more'
	num "$(get 'min(r)')" -ge 30000000 '... each of which has all of the memory'
	num "$(get 'd["rss_peak"] - max(r)')" -ge 0 '... and the peak is none of less'
	run memusage --attach="$job" --duration=1ms --fail-if='rss peak > 20M' -q
	isnt "$status" 0 '... nor of more'
done
# After two seconds samples are rarer.
for round in 1 2 3; do
	attach "$job" --record=brief.mur
	sleep 2.1
	echo 'make 0 30 1000000' >&3
	read -r _ <&4
	detach
	num "$(get 'r[-1] - r[0]')" -ge 29000000 "round $round: the last moment has what came just before"
done
end
done_testing
