#!/bin/sh
# merge.sh -- what it saves that a merge reads several recordings at a time.
#
#	MU_BUILD=... tests/bench/merge.sh [NUMBER of recordings]
#
# Sixteen real recordings of python3 of about 1 MB, under as many names (1,000), are merged by one reader, by two, and
# by one for each processor, in turn, BENCH_PAIRS times (9). Each turn has a ratio of elapsed times to that of one
# reader; the table has the middle one and the extremes, and the middle CPU time and memory.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
PAIRS=${BENCH_PAIRS:-9}
NUMBER=${1:-1000}
print=$MU_BUILD/bin/memusageprint
python=$(python3 -c 'import sys; print(sys.executable)') || exit 1

for i in $(seq 16); do
	"$ours" -q --record="v$i.mur" "$python" -c "
import argparse, asyncio, decimal, email.message, http.server, json, re, unittest, xml.dom.minidom
words = [str(k) for k in range(2000 * $i)]
table = {k: [k] * 3 for k in words}
patterns = [re.compile('a%d|b' % k) for k in range(10 * $i)]" || exit 1
done
mkdir many
for k in $(seq "$NUMBER"); do
	ln "v$((k % 16 + 1)).mur" "many/r$k.mur"
done

# merge VARIANT: CPU us, elapsed us, KB
merge() {
	case $1 in
	one) set -- --readers=1 ;;
	two) set -- --readers=2 ;;
	each) set -- ;;
	esac
	"$BENCH/measure" "$print" --merge --to=json -o out.json "$@" many/*.mur |
		awk '{ print $1, $2, $3; exit $4 != 0 }'
}

merge one >/dev/null || exit 1
for _ in $(seq "$PAIRS"); do
	for v in one two each; do
		merge $v >"figures.$v" || exit 1
		cat "figures.$v" >>"all.$v"
	done
	for v in one two each; do
		cat "figures.$v" figures.one
	done | awk 'NR % 2 { f = $2 } NR % 2 == 0 { print f / $2 }' >ratios
	sed -n 1p ratios >>ratios.one
	sed -n 2p ratios >>ratios.two
	sed -n 3p ratios >>ratios.each
done

middle() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo "$NUMBER recordings, $(nproc) processors:"
echo '| readers | elapsed | beside one reader, middle (range) | CPU time | memory |'
echo '|---|---|---|---|---|'
for v in one two each; do
	sort -n "ratios.$v" >sorted
	printf '| %s | %.2f s | %.2f (%.2f to %.2f) | %.2f s | %.0f MB |\n' $v \
		"$(awk '{ print $2 / 1e6 }' "all.$v" | middle)" "$(middle <sorted)" \
		"$(head -n 1 sorted)" "$(tail -n 1 sorted)" \
		"$(awk '{ print $1 / 1e6 }' "all.$v" | middle)" \
		"$(awk '{ print $3 / 1024 }' "all.$v" | middle)"
done
