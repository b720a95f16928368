#!/bin/sh
# picture_sizes.t -- Pictures of all sizes: small ones leave out what does not fit, the texts of
# large ones grow; no text overlaps another or leaves the picture.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusagestat who

ok 'something is recorded' memusage -q --record=who.mur "$WORKLOADS/who"
ok 'and its events' memusage -q -d who.dat "$WORKLOADS/who"

# draw WIDTH HEIGHT INPUT OPTION...
draw() {
	width=$1 height=$2 input=$3
	shift 3
	what="$* of ${input##*/}, $width x $height"
	memusagestat "$@" -x "$width" -y "$height" "$input" picture.svg || fail "$what: drawn"
	checked=$(awk -f "$MU_SRC/tests/lib/svg_texts.awk" picture.svg)
	like "$(head -n 2 picture.svg)" "width=\"$width\" height=\"$height\"" "$what: the size"
	like "$checked" '^texts [0-9]+, [0-9]+ pixels$' "$what: texts are measured"
	unlike "$checked" '^(overlap|outside)' "$what: each text has its room"
	font=$(printf '%s\n' "$checked" | sed -n 's/^texts .*, \([0-9]*\) pixels$/\1/p')
}

for size in '100 80' '150 100' '200 700' '240 140' '320 240' '420 170' '700 130' '800 600' \
	'1000 560' '1900 1000' '4000 2500'; do
	for input in who.dat who.mur "$MU_SRC/tests/golden/massif/sites-all.out"; do
		for kind in --theme=light --flame --histogram --bands; do
			case $input,$kind in
			who.dat,--[fhb]* | *.out,--h*) continue ;;
			esac
			# shellcheck disable=SC2086  # two numbers
			draw $size "$input" $kind
			case $size in
			'100 80') num "$font" -le 12 "$what: no title" ;;
			4000*) num "$font" -ge 40 "$what: the texts are large" ;;
			esac
		done
	done
done

# The point of the peak says what x counts.
ok 'a data file over its events' memusagestat --theme=light who.dat events.svg
like "$(cat events.svg)" '>peak [0-9.]+ ([KM]i)?B after [0-9.]+ ([kM] )?calls<' '... counts calls'
ok '... over time' memusagestat --theme=light --time who.dat time.svg
like "$(cat time.svg)" '>peak [0-9.]+ ([KM]i)?B at [0-9.]+ [mu]?s<' '... has a time'
ok '--bands' memusagestat --bands who.mur bands.svg
like "$(cat bands.svg)" 'heap peak [0-9.]+ [A-Za-z]+, [0-9.]+ [A-Za-z]+ with rounding and admin' \
	'... tells the rounding from the heap'

# The pixels are as many as asked for, whatever the scale.
for size in '900 500' '2700 1500'; do
	# shellcheck disable=SC2086  # two numbers
	set -- $size
	ok "a PNG of $size" memusagestat --theme=dark -x "$1" -y "$2" who.mur "png$1.png"
	is "$(od -An -tu1 -j16 -N8 "png$1.png" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')" \
		"$size" '... has that size'
done
done_testing
