#!/bin/sh
# themed_picture.t -- flame graphs, histograms and the light and dark courses of a run show what was
# recorded, in every format; glibc's graph stays the default of data files.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat who massif_nothing
kind() { head -c 4 "$1" | od -An -c | tr -d ' '; }

ok 'something is recorded' memusage -q --record=who.mur "$WORKLOADS/who"
ok 'and its events' memusage -q -d who.dat "$WORKLOADS/who"

# ---- flame graphs -----------------------------------------------------------------------------

for what in peak end total temporary; do
	ok "--flame=$what" memusagestat --flame=$what who.mur "$what.svg"
	like "$(cat $what.svg)" '<title>all: [0-9.]* [a-zA-Z]*, 100\.0 %' 'a tool tip says how much'
	like "$(cat $what.svg)" '<title>main ' 'main is in it'
done
ok '--flame is that of the peak' memusagestat --flame who.mur flame.svg
same flame.svg peak.svg 'by default'
if [ "${LIBDW:-yes}" = yes ]; then
	function=$("$WORKLOADS/who" | sed -n 's/^peak \([^ ]*\) .*/\1/p' | head -n 1)
	like "$(cat flame.svg)" "$function \(who.c:[0-9]+\)" 'functions have their lines'
fi
run memusagestat --flame=no who.mur x.svg
is "$status" 2 'an unknown moment is refused'
run memusagestat --flame who.dat x.svg
is "$status" 1 'a data file holds no call stacks'
like "$err" 'a data file holds no call stacks: use a recording' '... and the message says so'
ok 'of a massif.out' memusagestat --flame "$MU_SRC/tests/golden/massif/sites-all.out" m.svg
like "$(cat m.svg)" '>main ' 'likewise'
run memusagestat --flame=total "$MU_SRC/tests/golden/massif/sites-all.out" x.svg
is "$status" 1 '... but not of totals, which it does not hold'

# ---- histograms -------------------------------------------------------------------------------

ok '--histogram' memusagestat --histogram who.mur h.svg
count=$(memusageprint --summary who.mur | sed -n 's/^ *0-15  *\([0-9]*\) .*/\1/p')
[ -z "$count" ] || like "$(cat h.svg)" ">$count  *[0-9.]* %<" 'a bar has the figures of the summary'
run memusagestat --histogram who.dat x.svg
is "$status" 1 'a data file holds no sizes'

# ---- the course -------------------------------------------------------------------------------

ok 'a recording is drawn' memusagestat who.mur run.svg
like "$(cat run.svg)" '>peak [0-9.]+ [KM]?i?B at ' 'its peak is marked'
for theme in light dark; do
	for file in who.dat who.mur "$MU_SRC/tests/golden/massif/sites-all.out"; do
		ok "$theme: ${file##*/}" memusagestat --theme=$theme -t "$file" "$theme.png"
		is "$(kind "$theme.png")" '211PNG' 'a PNG'
	done
done
ok 'the default' memusagestat who.dat default.png
ok 'the classic theme' memusagestat --theme=classic who.dat classic.png
same default.png classic.png 'is the same'
isnt "$(cksum <dark.png)" "$(cksum <light.png)" 'dark is not light'
run memusagestat --theme=classic --flame who.mur x.png
is "$status" 2 'there is no classic flame graph'
ok 'a program that allocates nothing is recorded' memusage -q --record=nothing.mur --leaks -o /dev/null \
	"$WORKLOADS/massif_nothing"
run memusagestat nothing.mur x.svg
is "$status:$err" "1:memusagestat: nothing.mur: the program ended too soon, without a change of its heap: $(:
	)there is 1 snapshot, of its start, and a picture over time needs 2" \
	'it has no course, and the message says why'
for ending in svg ps eps; do
	ok "a data file as $ending" memusagestat who.dat "run.$ending"
done
like "$(head -c 4 run.ps)" '%!PS' 'PostScript'
run memusagestat --flame who.mur who.mur
is "$status" 1 'the input is not overwritten'
run memusagestat --flame who.mur /dev/full
is "$status" 1 'a full disk is noticed'
done_testing
