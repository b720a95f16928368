#!/bin/sh
# plot.t -- memusageprint --plot draws a run in the width of the terminal, in ASCII where the locale
# knows no more, in colour only where it is wanted.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint who
unset LC_ALL LC_CTYPE LANG NO_COLOR COLUMNS
massif=$MU_SRC/tests/golden/massif/sites-all.out
widest() { LC_ALL=C.UTF-8 awk '{ if (length($0) > most) most = length($0) } END { print most }' "$1"; }

ok 'something is recorded' memusage -q --record=who.mur "$WORKLOADS/who"
ok '--plot' memusageprint --plot=3 -o out who.mur
like "$(cat out)" '^heap peak: [0-9.]+ ([KM]i)?B at ' 'it says when the peak was'
like "$(cat out)" '^ *[0-9.]+ ([KM]i)?B \+.*#' 'a curve'
peak=$("$WORKLOADS/who" | awk '/^peak/ { sum += $4 } END { print sum }')
like "$(cat out)" "^live at the peak: $peak B\$" 'all that was live then'
"$WORKLOADS/who" | sed -n 's/^peak \([^ ]*\) [^ ]* \([^ ]*\) .*/\1 \2/p' >truth
while read -r function bytes; do
	like "$(cat out)" "^ *[0-9.]+ % +$bytes B  #* +$function " "$function held $bytes bytes"
done <truth
nok 'no colours in a file' grep -q "$(printf '\033')" out
num "$(LC_ALL=C tr -d '\000-\177' <out | wc -c)" -eq 0 'ASCII in the C locale'
num "$(widest out)" -le 80 'at most 80 columns'

for columns in 40 60 132; do
	COLUMNS=$columns memusageprint --plot who.mur >out
	num "$(widest out)" -le "$columns" "fits into $columns columns"
done
COLUMNS=40 memusageprint --plot=3 who.mur >out
while read -r function bytes; do
	like "$(cat out)" "^ *[0-9.]+ % +$bytes B  $function " "$function has its name in 40 columns, too"
done <truth
memusageprint --plot=3 who.mur >out
like "$(cat out)" '^ *# heap  : [+] rounding, admin, stacks$' 'what is drawn is said'
LANG=C.UTF-8 memusageprint --plot --color=always who.mur >out
like "$(cat out)" "$(printf '\342\226\210')" 'blocks where the locale has them'
like "$(cat out)" "$(printf '\033\\[35m')" 'colours when they are asked for'

ok 'of a massif.out' memusageprint --plot -o out "$massif"
like "$(cat out)" '^live at the peak: ' 'with its places'
run memusageprint --temporary "$massif"
is "$status" 1 '--temporary of a massif.out is refused'
like "$err" 'the reports of places for it are --plot, --top, --tree and --leaks' 'a warning says why'
run memusageprint --plot=0 who.mur
is "$status" 2 'no places are no number of places'
done_testing
