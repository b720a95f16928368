#!/bin/sh
# page_merge.t -- The page of a merge in a real browser: sums, spreads, curves and the list of processes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/merged.sh"
need_bin memusage memusagestat phases
need_page
. "$MU_SRC/tests/lib/view.sh"

record_ranks
ok 'a page' memusagestat --html=all.html --merge r?.mur

view 'all.html#summary'
like "$(cat dom)" 'data-ready' 'the page has drawn itself'
like "$out" 'This is the sum of \|*8 processes\|*: their own peaks add up to' 'its first lines are of all'
like "$out" 'in all 8 processes: least 400 KiB, median 404 KiB, most 900 KiB; outlier: \|rank 5' \
	'beside a place: how processes differ there'
like "$out" 'Live at the ends\|+64\.0 KiB\|+what each process had at its own end' \
	'what is left is what each had at its own end'
like "$(cat dom)" 'class="strip-dot"' '... drawn, with the outlier'

view 'all.html#summary?place=hold_big+(phases.c:24)'
like "$(cat dom)" 'class="strip"' 'the same with a place that is selected'

view 'all.html#processes'
like "$out" '8 processes together held' 'the list of processes'
like "$out" '\|5\|+900 KiB\|.*\|0\|+400 KiB\|.*\|7\|+407 KiB' '... the outlier first, then ranks'
like "$out" 'differs at \|+hold_big\|+ \(900 KiB, median 404 KiB\)' '... and where it differs'
is "$(grep -o 'class="course-spark"' dom | wc -l)" 8 '... each with its curve'
is "$(grep -o 'class="course-line[^"]*"' dom | wc -l)" 8 '... which are drawn together, too'
is "$(grep -o 'class="course-line is-outlier"' dom | wc -l)" 1 '... the outlier in another colour'
unlike "$out" 'Sum of each machine' 'one machine needs no table'
view 'all.html#processes?by=peak'
like "$out" '\|5\|+900 KiB\|.*\|7\|+407 KiB\|.*\|0\|+400 KiB' 'another order'

view 'all.html#flame'
like "$(cat dom)" '<canvas class="flame"' 'a flame graph of all'

memusagestat --html=plain.html r0.mur
view 'plain.html#processes'
like "$(cat dom)" 'data-ready' 'a page of one recording is as ever'
unlike "$out" 'together held|least ' '... without other processes'
done_testing
