#!/bin/sh
# leak_requests.t -- a program can ask for leak checks by Valgrind's macros, or those of memusage.h,
# and is told what they found; the report has them in the order of time.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leak_requests
need_libdw
PATH=$WORKLOADS:$PATH
[ "$(uname -m)" = x86_64 ] || skip_all "requests of Valgrind's macros are served on x86-64 only"

memusage --leak-check=full --show-leak-kinds=all -o mu.log leak_requests 2>told
is "$(sed -n 1p told)" 'before lost=0/0 dubious=0/0 reachable=0/0 suppressed=0/0' \
	'before the first check nothing is known'
is "$(sed -n 2p told)" 'first lost=100/1 dubious=50/1 reachable=0/0 suppressed=0/0' \
	'the first check is told'
is "$(sed -n 3p told)" 'added lost=130/2 dubious=50/1 reachable=0/0 suppressed=0/0' '... the second'
is "$(sed -n 4p told)" 'last lost=130/2 dubious=0/0 reachable=50/1 suppressed=0/0' '... and the last'
is "$(grep -c 'LEAK SUMMARY' mu.log)" 5 'four checks by request, one at the end'
is "$(grep -c 'HEAP SUMMARY' mu.log)" 1 'the heap is summed up at the end'
like "$(cat mu.log)" \
	'^==[0-9]+== 30 \(\+30\) bytes in 1 \(\+1\) blocks are definitely lost in loss record [0-9] of' \
	'what was added'
like "$(cat mu.log)" '^==[0-9]+==    definitely lost: 130 \(\+30\) bytes in 2 \(\+1\) blocks$' \
	'... also in the sums'
like "$(cat mu.log)" \
	'^==[0-9]+== 0 \(-50\) bytes in 0 \(-1\) blocks are possibly lost in loss record' 'what is gone'
like "$(cat mu.log)" '^==[0-9]+== 50 \(\+50\) bytes in 1 \(\+1\) blocks are still reachable in' \
	'... and what it has become'
run memusage --top leak_requests
is "$status" 0 'without --leak-check'
is "$(printf '%s\n' "$err" | grep -c 'lost=9/9')" 4 '... the requests do nothing'

# ---- the macros of memusage.h ----------------------------------------------------------------------
report_of_requests() {
	sed -E 's/^==[0-9]+== ?//; s/0x[0-9A-F]+: //; /^Command:/d; /^Parent PID:/d' "$1"
}
memusage -q --leak-check=full --show-leak-kinds=all -o by-macros.log leak_requests new 2>macros
memusage -q --leak-check=full --show-leak-kinds=all -o by-header.log \
	leak_requests header 2>header
same header macros 'the macros of memusage.h are told the same as those of Valgrind'
report_of_requests by-macros.log >macros
report_of_requests by-header.log >header
is "$(grep -c 'LEAK SUMMARY' header)" 7 '... each of them checks'
same header macros '... and the report is the same'
leak_requests header 2>header
is "$(grep -c 'lost=0/0 dubious=0/0 reachable=0/0 suppressed=0/0' header)" 4 \
	'... without memusage nothing was found'
memusage -q --top -o report leak_requests header 2>header
is "$(grep -c 'lost=0/0 dubious=0/0 reachable=0/0 suppressed=0/0' header)" 4 \
	'... nor without --leak-check'

# ---- compared with Memcheck ---------------------------------------------------------------------
if ! command -v valgrind >/dev/null || ! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no Valgrind 3.19 is installed' 5
	done_testing
fi
# report FILE: what of it does not depend on where code is; what was asked for and then the end
report() {
	sed -E '/Memcheck, a memory|Parent PID|Copyright|Using Valgrind|Command: |For lists of|ERROR SUMMARY/d
		s/^==[0-9]+== ?//; s/0x[0-9A-F]+: //; s/malloc \(in .*/malloc/' "$1" |
		leak_as_old | sed '/./,$!d' | cat -s
}
valgrind --run-libc-freeres=no --leak-check=full --show-leak-kinds=all --log-file=vg.log \
	leak_requests 2>vg.told
memusage -q --leak-check=full --show-leak-kinds=all -o mu.log \
	leak_requests 2>mu.told
same mu.told vg.told 'the program is told what Memcheck tells it'
report vg.log >vg.said
report mu.log >mu.said
num "$(grep -c 'in loss record' vg.said)" -gt 5 'Memcheck prints its records'
same mu.said vg.said '... and memusage the same ones'
# Valgrind has this request from version 3.21 on.
memusage --leak-check=full -o mu.log leak_requests new 2>/dev/null </dev/null
sed '/HEAP SUMMARY/,$d' mu.log >asked
is "$(grep -c '== 20 (+20) bytes in 1 (+1) blocks are definitely lost' asked)" 1 \
	'VALGRIND_DO_NEW_LEAK_CHECK prints what was not there'
is "$(tail -8 asked | grep -c 'in loss record')" 0 '... and nothing else'
done_testing
