#!/bin/sh
# bands.t -- memusagestat --bands draws who held memory over time, in the format that the name asks
# for, from a recording and from a massif.out, and says what it cannot draw.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusagestat

memusage -q --record=rec.mur "$WORKLOADS/massif_ramp"
memusage -q --massif --time-unit=B --detailed-freq=1 --massif-out-file=ramp.ms "$WORKLOADS/massif_ramp"
[ -s rec.mur ] && [ -s ramp.ms ] && pass 'there is something to draw' || fail 'there is something to draw'

for input in rec.mur ramp.ms; do
	for ending in png svg ps eps SVG; do
		run memusagestat --bands "$input" "$input.$ending"
		is "$status$err" 0 "$input: $ending"
	done
	is "$(dd if="$input.png" bs=1 skip=1 count=3 2>/dev/null)" PNG "$input: a PNG"
	like "$(head -2 "$input.svg")" '<svg xmlns=' "$input: an SVG"
	is "$(head -1 "$input.ps")" '%!PS-Adobe-3.0' "$input: PostScript"
	is "$(head -1 "$input.eps")" '%!PS-Adobe-3.0 EPSF-3.0' "$input: encapsulated PostScript"
	like "$(cat "$input.svg")" 'main \(massif_ramp.c:[0-9]*\)</text>' "$input: the place is named"
	like "$(cat "$input.svg")" 'massif_ramp</text>' "$input: the command is named"
	like "$(cat "$input.svg")" '>[0-9.]+ [KM]?i?B?(bytes)? on average, ' "$input: the average is told"
done
run memusagestat --bands rec.mur
ok 'without a name it is a PNG beside the input' test -s rec.mur.png
run memusagestat --bands -x 1920 -y 1080 --string='A & B' rec.mur big.svg
like "$(sed -n 2p big.svg)" 'width="1920" height="1080"' 'the size can be chosen'
like "$(cat big.svg)" '>A &amp; B</text>' 'and the title'
if command -v xmllint >/dev/null 2>&1; then
	ok 'the SVG is XML' xmllint --noout rec.mur.svg big.svg
else
	skip 'no xmllint here'
fi
if command -v gs >/dev/null 2>&1; then
	run gs -q -dBATCH -dNOPAUSE -dSAFER -sDEVICE=bbox rec.mur.ps
	is "$status" 0 'Ghostscript draws the PostScript'
	run gs -q -dBATCH -dNOPAUSE -dSAFER -sDEVICE=bbox rec.mur.eps
	is "$status" 0 'and the encapsulated one'
else
	skip 'no Ghostscript here' 2
fi

# What cannot be drawn.
memusage -q --massif --time-unit=B --massif-out-file=none.ms "$WORKLOADS/massif_nothing"
run memusagestat --bands none.ms none.png
is "$status" 1 'a profile without trees is refused'
like "$err" 'none.ms: has fewer than two snapshots with a tree' 'and why'
[ -e none.png ] && fail 'no empty picture is left' || pass 'no empty picture is left'
head -c 3000 ramp.ms >cut.ms
run memusagestat --bands cut.ms cut.png
like "$err" 'cut.ms: ' 'a file that was cut short is said to be'
run memusagestat --bands missing.ms x.png
is "$status" 1 'a missing file'
echo 'no profile' >text
run memusagestat --bands text x.png
is "$status" 1 'a file of another kind'
run memusagestat --bands ramp.ms ramp.ms
is "$status" 1 'the input is not written over'
like "$err" 'ramp.ms is the input' 'which is said'
cp ramp.ms again.ms
run memusagestat --bands ramp.ms /nonexistent/x.png
is "$status" 1 'an output that cannot be made'

# Hostile names are text.
sed 's/: main (massif_ramp/: py::<script>\&"x"(a) \\(b (massif_ramp/' ramp.ms >evil.ms
run memusagestat --bands evil.ms evil.svg
is "$status" 0 'names may hold anything'
unlike "$(cat evil.svg)" '<script' 'and are escaped in SVG'
run memusagestat --bands evil.ms evil.ps
is "$status" 0 'names may hold anything in PostScript'
if command -v gs >/dev/null 2>&1; then
	like "$(gs -q -dBATCH -dNOPAUSE -dSAFER -sDEVICE=txtwrite -sOutputFile=- evil.ps)" \
		'<script>&"x"\(a\) \\\(b' 'and are the same text there'
else
	skip 'no Ghostscript here'
fi
done_testing
