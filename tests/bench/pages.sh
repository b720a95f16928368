#!/bin/sh
# pages.sh -- what --pages-as-heap=yes costs a compiler, and a program that does nothing but map.
#
#	MU_BUILD=... tests/bench/pages.sh
#
# cc1, the compiler proper, is run alone and under memusage in turn, BENCH_PAIRS times (15). Each
# pair has a ratio of CPU time, all processes of the tool included; the table has the middle ratio,
# and between which two of the ratios, in order, the true one lies with 96 % (15 pairs: the 4th
# and the 12th). "alone" is cc1 beside itself: what the machine's other load makes of no
# difference. The cost of a call is that of a pair of mmap and munmap of a page, not touched.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
PAIRS=${BENCH_PAIRS:-15}
CALLS=${BENCH_CALLS:-200000}

awk 'BEGIN { for (i = 0; i < 200; i++)
	printf "int f%d(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) " \
		"{ if (a[i] %% %d) s += a[i] * %d; else s ^= a[i] >> %d; } " \
		"switch (s & 7) { case 1: return s; case 3: return -s; } " \
		"return n ? f%d(a + 1, n - 1) : s; }\n", i, i + 2, i, i % 31, i ? i - 1 : 0 }' >big.c

# variant NAME COMMAND...: CPU time of it in us
variant() {
	v=$1
	shift
	case $v in
	pages) set -- "$ours" -q --pages-as-heap=yes --record=kept.mur "$@" ;;
	profile) set -- "$ours" -q --pages-as-heap=yes --massif-out-file=out "$@" ;;
	esac
	"$BENCH/measure" "$@" | awk '{ print $1; exit $4 != 0 }'
	rm -f kept.mur out
}

# The k-th smallest and the k-th largest ratio enclose the median: k of the binomial distribution.
row() {
	sort -n "ratios.$1" | awk -v name="$2" '
		{ r[NR] = $1 }
		END {
			sum = 0; p = 0.5 ^ NR
			for (k = 0; sum + p <= 0.025; k++) { sum += p; p = p * (NR - k) / (k + 1) }
			if (k < 1) k = 1
			printf "| %s | %d | %.3f | %.3f to %.3f |\n", name, NR, r[int((NR + 1) / 2)],
				r[k], r[NR + 1 - k]
		}'
}

cc1=$("${CC:-gcc}" -print-prog-name=cc1)
if command -v "$cc1" >/dev/null; then
	for pair in $(seq "$PAIRS"); do
		for v in alone pages profile; do
			# Which one goes first changes, as the second finds a warmer machine.
			first=plain second=$v
			[ $((pair % 2)) = 0 ] && first=$v second=plain
			a=$(variant $first "$cc1" -quiet -O2 big.c -o big.s) || exit 1
			b=$(variant $second "$cc1" -quiet -O2 big.c -o big.s) || exit 1
			[ $first = plain ] && echo "$a $b" || echo "$b $a"
		done | awk '{ print $2 / $1 }' >ratios
		sed -n 1p ratios >>ratios.alone
		sed -n 2p ratios >>ratios.pages
		sed -n 3p ratios >>ratios.profile
	done
	echo '| cc1 -O2 | pairs | CPU, middle of ratios | 96 % |'
	echo '|---|---|---|---|'
	row alone 'alone, beside itself'
	row pages 'pages are counted, and kept (`--record`)'
	row profile '... and a profile is written (`--massif-out-file`)'
	echo
fi

per_call() {
	for _ in $(seq "$ROUNDS"); do
		few=$(variant "$1" "$BENCH/mapping" 1000)
		many=$(variant "$1" "$BENCH/mapping" "$CALLS")
		echo "$few $many $CALLS"
	done | awk '{ ns = ($2 - $1) * 1000 / ($3 - 1000); if (NR == 1 || ns < least) least = ns }
		END { printf "%.0f", least }'
}
echo '| mmap and munmap of a page | alone | pages are counted |'
echo '|---|---|---|'
echo "| CPU | $(per_call plain) ns | $(per_call pages) ns |"
