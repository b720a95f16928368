#!/bin/sh
# requests_reports.t -- marks, pauses and ad hoc events are in the reports, with exact figures.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint requests
PATH=$WORKLOADS:$PATH

# ---- marks ---------------------------------------------------------------------------------

memusage -q --record=marks.mur requests marks
run memusageprint --marks marks.mur
is "$status" 0 '--marks'
is "$(printf '%s\n' "$out" | grep -c '^ *[0-9]*\.[0-9]* s ')" 3 '... lists each mark'
like "$out" ' 0 B  begin$' '... with the heap before'
like "$out" ' 12\.1 KiB  full$' '... and while it is full'
like "$out" ' 0 B  end\?\?\[31mred$' '... and no name drives the terminal'
run memusageprint --summary marks.mur
like "$out" '  full$' '--summary has them'
memusage -q --record=none.mur requests tiny >/dev/null
run memusageprint --marks none.mur
like "$out" 'marked no moment' 'none are said to be none'
run memusageprint --summary none.mur
unlike "$out" 'mark' '... but not in a summary'
memusage -q --record=many.mur requests hostile >/dev/null
run memusageprint --summary many.mur
like "$out" '^65496 more: --marks lists all' 'a summary has the first ones'
memusageprint --marks many.mur >many
is "$(grep -c ' s  ' many)" 65536 '--marks has all that were kept'
like "$(sed -n 3p many | wc -c | tr -d ' ')" '^2[89][0-9]$' '... a long name is cut'
memusage -q --record=pause.mur requests pause >/dev/null
run memusageprint --marks pause.mur
is "$(printf '%s\n' "$out" | grep -c 'recording paused')" 1 'a pause in a pause is one'
like "$out" 'recording resumed' '... and ends'

# ---- ad hoc events -------------------------------------------------------------------------

[ "${LIBDW:-yes}" = yes ] || {
	skip 'lines need libdw'
	done_testing
}
run memusage -o report --mode=ad-hoc --record=adhoc.mur requests ad_hoc
is "$status$out" '0units 1700 events 102' '--mode=ad-hoc runs'
report=$(cat report)
like "$report" '^happen \(requests.c:[0-9]*\) made 100.0% of the 1,?700 units' '... units'
like "$report" '^ *1,?700 100.0% *101  happen \(requests.c' '... and events of a place'
like "$report" '^ *700  41.2% *100  often$' '... and of a function that caused them'
like "$report" 'heap total: 0, heap peak: 0' '... allocations are not recorded'
like "$report" 'only ad hoc events were recorded, no allocations' '... and that is said'
run memusageprint --ad-hoc adhoc.mur
like "$out" '^ *1,?700 100.0% *101  happen' 'from a recording'
memusage -q -o report --top --record=heap.mur requests ad_hoc >/dev/null
unlike "$(cat report)" 'happen' 'ad hoc events are in no report of the heap'
run memusageprint --ad-hoc heap.mur
like "$out" '^ *1,?700 100.0% *101  happen' '... but in its recording'
run memusageprint --ad-hoc none.mur
like "$out" 'no ad hoc events' 'none are said to be none'
if [ "$(macros ad_hoc)" = 'no headers' ]; then
	skip 'the headers of Valgrind are not installed' 2
else
	run memusage -o report --mode=ad-hoc macros ad_hoc
	is "$out" 'units 60 events 3' "DHAT's macro"
	like "$(cat report)" '^ *60 100.0% *3  happen \(macros.c' '... in a program built with it'
fi

done_testing
