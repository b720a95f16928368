#!/bin/sh
# page_diff.t -- The page of two files in a real browser: its sums, curves, flame graph and table.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusagestat
need gcc
need_page
. "$MU_SRC/tests/lib/view.sh"

gcc -g -O0 -o old "$MU_SRC/tests/workloads/compared.c"
gcc -g -O2 -DINDEX_SIZE=900 -o new "$MU_SRC/tests/workloads/compared.c"
memusage -q --record=old.mur ./old
memusage -q --record=new.mur ./new
memusage -q --sample=16K --record=s1.mur ./old
memusage -q --sample=16K --record=s2.mur ./old
memusage -q --massif --massif-out-file=old.ms ./old
ok 'a page' memusagestat --html=diff.html --diff old.mur new.mur

view 'diff.html#summary'
like "$(cat dom)" 'data-ready' 'the page has drawn itself'
like "$out" 'make_index\|+ grew by 244 KiB, from 195 KiB to 439 KiB' 'its first line is what grew most'
like "$out" 'In all 977 KiB became 1\.19 MiB: \+244 KiB' '... and the sum'
like "$out" 'Old: \|*old\.mur.*New: \|*new\.mur' 'both curves are named'
like "$(cat dom)" '<div class="uplot' '... and drawn'
like "$out" '100 %' 'the share that was matched'
unlike "$out" 'Timeline|within the error' '... no views that two files do not have'

view 'diff.html#flame'
like "$out" 'grew\|.*shrank\|.*stayed\|' 'the flame graph has its colours'
like "$out" '\+244 KiB \(977 KiB to 1\.19 MiB\)' '... and the change of all'
like "$(cat dom)" '<canvas class="flame"' '... drawn'

view 'diff.html#points?place=make_index+(compared.c:52)'
like "$out" '\+244 KiB\|+195 KiB\|+439 KiB' 'the table begins with what grew'
like "$(cat dom)" 'is-selected' '... and a place can be selected'
like "$out" 'live at the peak: \+244 KiB' '... whose changes are said'

memusagestat --html=est.html --diff s1.mur s2.mur
view 'est.html#summary'
like "$out" 'These are estimates: about one block in 16\.0 KiB was sampled' 'estimates say so'
like "$out" ' ± ' '... with bounds'
memusagestat --html=units.html --diff old.ms new.mur
view 'units.html#summary'
like "$out" 'of the run|Heap over time' 'files with other units of time'
like "$(cat dom)" '<div class="uplot' '... have one axis'
done_testing
