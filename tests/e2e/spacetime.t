#!/bin/sh
# spacetime.t -- bytes x time of programs that know theirs is right to 1 %, in all and by place, if the
# machine is idle, and nearly so if it is busy; the reports of the first Massif are written under their
# old names, linked and in order.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

is_near() { # GOT WANT PERCENT
	awk -v g="$1" -v w="$2" -v p="$3" 'BEGIN { split(p, part, "+")
		d = g - w; exit !(d * d <= (w * (part[1] + part[2]) / 100) ^ 2) }'
}
# near GOT WANT PERCENT TEXT
near() {
	if is_near "$1" "$2" "$3"; then
		pass "$4"
	else
		fail "$4" || diag "got $1, want $2 within $3 %"
	fi
}
# share FUNCTION FILE: its percentage among all that allocated
share() {
	sed -n "/^== 1/q; s/^ *\([0-9.]*\)%: 0x[0-9A-F]*: $1 (.*/\1/p" "$2"
}

# measure SHAPE: its shares as the program knows them, and as they were recorded
measure() {
	# shellcheck disable=SC2086  # two words or one
	memusage -q --record="$1.mur" "$WORKLOADS/spacetime" ${1%.*} ${1#"${1%.*}"} >truth
	memusageprint --spacetime "$1.mur" >"$1.txt" 2>err
	total=$(sed 's/total=\([0-9]*\) .*/\1/' truth)
	first=$(sed 's/.*first=\([0-9.]*\) .*/\1/' truth)
	second=$(sed 's/.*second=\([0-9.]*\) .*/\1/' truth)
	got=$(sed -n 's/^==[0-9]*== Total spacetime:  *\([0-9,]*\) ms.B$/\1/p' "$1.txt" | tr -d ,)
	got_first=$(share first "$1.txt") got_second=$(share second "$1.txt")
	# Where the program gets the processor too late, so does the collector, which moves the clock.
	late=$(sed 's/.*late=//' truth | awk '{ half = $1 / 2; print half < 5 ? half : 5 }')
	# The clock has steps of a millisecond, longer ones if the collector waits for a processor: churn
	# changes hands 20 times, and may be wrong by 0.8 ms each time, of 400 ms.
	[ "$1" != churn ] || late=$(awk -v late="$late" 'BEGIN { print late + 4 }')
	is_near "${got:-0}" "$total" "1 + $late" && is_near "$got_first" "$first" "1.3 + $late" &&
		is_near "$got_second" "$second" "1.3 + $late"
}

# early and churn; at-once: what comes within the first millisecond of a process has a place, too. The
# program does not know how late the collector was, so a busy machine has four attempts; figures that
# are wrong by themselves are wrong each time.
for shape in constant ramp step burst churn step.at-once early.at-once; do
	for _ in 1 2 3 4; do
		! measure "$shape" || break
	done
	near "${got:-0}" "$total" "1 + $late" "$shape: the total is right to 1 % if the machine is idle"
	near "$got_first" "$first" "1.3 + $late" "$shape: and the first place"
	near "$got_second" "$second" "1.3 + $late" "$shape: and the second"
done

# ---- estimates -----------------------------------------------------------------------------------

# bounded_share FUNCTION FILE: its percentage, and its limits
bounded_share() {
	sed -n "/^== 1/q; s/^ *\([0-9.]*\)% \([-+ 0-9.]*\): 0x[0-9A-F]*: $1 (.*/\1 \2/p" "$2" |
		awk '{ below = $2 == "+-" ? $3 : -$2; above = $3
			print $1 - below, $1 + above }'
}
is_between() { # WANT DOUBT LOW HIGH
	awk -v w="$1" -v d="$2" -v l="$3" -v h="$4" \
		'BEGIN { exit !(h - l > 0 && w >= l - d && w <= h + d) }'
}
for seed in 1 2 3 4; do
	MEMUSAGE_SAMPLE_SEED=$seed memusage -q --sample=16K --record=sampled.mur \
		"$WORKLOADS/spacetime" ramp >truth
	memusageprint --spacetime sampled.mur >sampled.txt 2>err
	late=$(sed 's/.*late=//' truth | awk '{ half = $1 / 2; print 1.3 + (half < 5 ? half : 5) }')
	for who in first second; do
		# shellcheck disable=SC2046  # two words
		ok "seed $seed: the share of $who is within its bounds" is_between \
			"$(sed "s/.*$who=\([0-9.]*\) .*/\1/" truth)" "$late" $(bounded_share $who sampled.txt)
	done
done
like "$(cat sampled.txt)" '^==[0-9]*== heap: *[0-9.]*% ([+]-|-[0-9.]* [+])[ 0-9.]*$' 'the summary has bounds'
like "$(cat sampled.txt)" '^==[0-9]*== .estimates from samples' '... and says so'
like "$(cat sampled.txt)" '^Context accounted for [0-9.]*% ([+]-|-[0-9.]* [+]) ?[0-9.]* of' 'contexts do'
memusageprint --spacetime=html sampled.mur >sampled.html 2>err
like "$(cat sampled.html)" '>[0-9.]*% ([+]-|-[0-9.]* [+]) ?[0-9.]*</a> of measured' '... on the page, too'
unlike "$(cat step.txt)" '[0-9]% [-+]' 'without samples there are none'

# ---- the text -----------------------------------------------------------------------------------
pid=$(sed -n 's/^==\([0-9]*\)== Total.*/\1/p' step.txt)
like "$(cat step.txt)" "^==$pid== heap:             *[0-9.]*%\$" 'the summary: heap'
like "$(cat step.txt)" "^==$pid== heap admin:       *0.0%\$" 'and administration'
like "$(cat step.txt)" "^Command: .*spacetime step\$" 'the command'
like "$(cat step.txt)" '^== 0 ===========================$' 'the first level'
like "$(cat step.txt)" '^Heap allocation functions accounted for [0-9.]*% of measured spacetime$' 'its head'
like "$(cat step.txt)" '^== 2 ===========================$' 'the last level of depth 3'
unlike "$(cat step.txt)" '^== 3 ' 'and no more'
like "$(cat step.txt)" '%: 0xFFFFFFFF: \?\?\?$' 'main was called by nobody known'
is "$(tail -1 step.txt)" 'End of information.  Rerun with a bigger --depth value for more.' 'the end'
run memusageprint --spacetime --depth=1 step.mur
unlike "$out" '^== 1 ' '--depth=1 has one level'

# ---- HTML -----------------------------------------------------------------------------------------
memusageprint --spacetime=html step.mur >step.html
grep -o 'href="#[a-z0-9]*"' step.html | sed 's/.*#//; s/"//' | sort -u >links
grep -o 'name="[ab][0-9]*"' step.html | sed 's/.*="//; s/"//' | sort -u >names
is "$(comm -23 links names)" '' 'every link leads somewhere'
num "$(wc -l <links)" -ge 6 'there are links down and up'
is "$(grep -o 'name="[ab][0-9]*"' step.html | sort | uniq -d)" '' 'every name is there once'

# ---- for hp2ps ----------------------------------------------------------------------------------
memusageprint --spacetime=hp step.mur >step.hp
is "$(sed -n '2,4p' step.hp)" 'DATE        ""
SAMPLE_UNIT "ms"
VALUE_UNIT  "bytes"' 'the head of an .hp file'
is "$(grep -c '^BEGIN_SAMPLE' step.hp)" "$(grep -c '^END_SAMPLE' step.hp)" 'samples end'
is "$(grep -c '^MARK' step.hp)" "$(grep -c '^END_SAMPLE' step.hp)" 'and are marked'
like "$(cat step.hp)" '^x[0-9A-F]*:first 1000000$' 'a place and its bytes'
is "$(grep -c '^heap-admin 16$' step.hp)" "$(grep -c ':second 3000000$' step.hp)" 'two blocks have 16 bytes of admin'
if command -v hp2ps >/dev/null 2>&1; then
	ok 'hp2ps reads it' hp2ps -c -t1 step.hp
else
	skip 'no hp2ps here'
fi

# ---- in one go ------------------------------------------------------------------------------------
mkdir go && cd go || exit 1
run memusage --spacetime "$WORKLOADS/spacetime" step
is "$status" 0 'memusage --spacetime'
like "$err" '^==[0-9]*== Total spacetime: ' 'prints the summary'
pid=$(printf '%s\n' "$err" | sed -n 's/^==\([0-9]*\)== Total.*/\1/p')
for ending in hp txt; do
	ok "and writes massif.PID.$ending" test -s "massif.$pid.$ending"
done
if has_program memusagestat; then
	is "$(head -c 11 "massif.$pid.ps")" '%!PS-Adobe-' 'and massif.PID.ps'
else
	skip 'this build has no memusagestat'
fi
run memusage -q --spacetime --format=html "$WORKLOADS/massif_nothing"
is "$status" 0 'a program that allocates nothing'
like "$(cat massif.*.html)" 'No heap memory allocated' 'has a page that says so'
done_testing
