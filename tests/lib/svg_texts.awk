# svg_texts.awk -- Checks the texts of an SVG that memusagestat wrote: none overlaps another, none
# leaves the picture. Prints a line for each that does, and "texts N, FONT pixels" at the end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

function attribute(name) {
	if (!match($0, " " name "=\"[^\"]*\""))
		return ""
	return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
}

/^<svg/ {
	split(attribute("viewBox"), box, " ")
	width = box[3]
	height = box[4]
	pixels = attribute("width") / width
}

/^<text/ {
	wide = attribute("textLength")
	size = attribute("font-size")
	anchor = attribute("text-anchor")
	n++
	left[n] = attribute("x") - (anchor == "middle" ? wide / 2 : anchor == "end" ? wide : 0)
	right[n] = left[n] + wide
	low[n] = attribute("y") + 0
	high[n] = low[n] - size * 0.72
	text[n] = $0
	gsub(/<[^>]*>/, "", text[n])
	if (size * pixels > font)
		font = size * pixels
	if (left[n] < -1 || right[n] > width + 1 || high[n] < -1 || low[n] > height + 1)
		print "outside: " text[n]
	for (i = 1; i < n; i++)
		if (left[n] < right[i] - 1 && left[i] < right[n] - 1 &&
		    high[n] < low[i] - 1 && high[i] < low[n] - 1)
			print "overlap: " text[i] " and " text[n]
}

END { printf "texts %d, %.0f pixels\n", n, font }
