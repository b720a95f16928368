# recorder.sh -- profile a program and compare it with itself and its own truth. Source after
# tap.sh.
#
#	profiled 'a text' family plain         a workload, or any command
#	profiled 'with -m' -m -- family map    options of memusage before the --
#
# Runs the command without and with memusage, and checks that output and exit status are the
# same, that something was recorded, that nothing was dropped, and every line of its output of
# the form
#
#	truth malloc calls=100 bytes=1600 failed=0
#
# against the report. What can follow "truth": a row (malloc ... munmap), heap (total, peak),
# stack (peak), nomove/dec/free of realloc as realloc-nomove count..., a bucket like 48-63 or
# large (count), child (lines, bytes, calls, peak: sums over the lines of other processes; peak
# is the highest). Operators: = >= <=. With truth=no these lines are not looked at. The report stays
# in $MU_TMP/report.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

need_bin memusage
need_recorder
PATH=$WORKLOADS:$PATH
LIB=$MU_BUILD/lib/memusage/libmemusage.so
export LIB
truth=yes

# A table "name field value" of a report. Colours are off in a file.
# shellcheck disable=SC2016
report_table='
function put(name, field, value) { print name, field, value }
/^Memory usage summary:/ {
	gsub(/,/, "")
	put("heap", "total", $6); put("heap", "peak", $9); put("stack", "peak", $12)
	inside = 1
}
!inside { next }
/^ *[a-z()]+\|/ {
	label = $0; sub(/\|.*/, "", label); gsub(/ /, "", label)
	rest = $0; sub(/^[^|]*\|/, "", rest); split(rest, part)
	put(label, "calls", part[1]); put(label, "bytes", part[2])
	if (part[3] != "") put(label, "failed", part[3])
	while (match(rest, /(nomove|dec|free): *[0-9]+/)) {
		word = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
		split(word, pair, / *: */)
		put(label "-" pair[1], "count", pair[2])
	}
}
/^ *[0-9]+-[0-9]+ / || /^ *large / { put($1, "count", $2) }
# memusage: process 4711 name (since its fork): heap total: 10, heap peak: 5, ..., calls: 3, exit status 0
/^memusage: (process )?[0-9]+ .*calls: [0-9]+(, .*)?$/ {
	sub(/^.*heap total: /, ""); match($0, /calls: [0-9]+/)
	$0 = substr($0, 1, RSTART + RLENGTH - 1); gsub(/,/, "")
	for (i = 1; i < NF; i++)
		if ($i == "peak:" && $(i - 1) == "heap" && $(i + 1) + 0 > peak) peak = $(i + 1)
	lines++; child_bytes += $1; child_calls += $NF
}
END { put("child", "lines", lines + 0); put("child", "bytes", child_bytes + 0)
	put("child", "calls", child_calls + 0); put("child", "peak", peak + 0) }'

# report_field NAME FIELD [REPORT]: one number, 0 if it is not there
report_field() {
	awk "$report_table" "${3:-$MU_TMP/report}" |
		awk -v name="$1" -v field="$2" \
			'$1 == name && $2 == field { v = $3 } END { print v == "" ? 0 : v }'
}

# Prints "ok TEXT" or "no TEXT" for every truth in the file $1, a report table on stdin.
# shellcheck disable=SC2016
truth_check='
function holds(a, op, b) { return op == "=" ? a == b : op == ">=" ? a >= b : a <= b }
FILENAME == "-" { value[$1 " " $2] = $3; next }
$1 == "truth" {
	for (i = 3; i <= NF; i++) {
		match($i, /[<>]?=/)
		field = substr($i, 1, RSTART - 1); op = substr($i, RSTART, RLENGTH)
		want = substr($i, RSTART + RLENGTH) + 0; got = value[$2 " " field] + 0
		if (holds(got, op, want)) print "ok", $2, field, op, want
		else print "no", $2, field, op, want ", reported", got
	}
}'

# truths TEXT OUTPUT REPORT: one check for each truth
truths() {
	awk "$report_table" "$3" | awk "$truth_check" - "$2" >"$MU_TMP/.truths"
	while read -r verdict what; do
		if [ "$verdict" = ok ]; then pass "$1: $what"; else fail "$1: $what"; fi
	done <"$MU_TMP/.truths" || :
}

# recorded TEXT [REPORT]: there is a summary, and it counted some allocation
recorded() {
	recorded_calls=$(awk "$report_table" "${2:-$MU_TMP/report}" 2>/dev/null | awk '
		$1 ~ /^(malloc|realloc|calloc|memalign|mmap)/ && $2 == "calls" { n += $3 }
		END { print n + 0 }')
	num "$recorded_calls" -gt 0 "$1: recorded" || sed 's/^/# /' "${2:-$MU_TMP/report}"
}

profiled() {
	profiled_text=$1
	shift
	profiled_options=
	case " $* " in
	*' -- '*)
		while [ "$1" != -- ]; do
			profiled_options="$profiled_options $1"
			shift
		done
		shift
		;;
	esac
	run "$@"
	mv .out native.out
	mv .err native.err
	native_status=$status
	rm -f report
	# shellcheck disable=SC2086
	run memusage -o report $profiled_options -- "$@"
	same .out native.out "$profiled_text: same output"
	same .err native.err "$profiled_text: same errors"
	is "$status" "$native_status" "$profiled_text: same exit status"
	recorded "$profiled_text"
	unlike "$(cat report)" 'memusage: not recorded' "$profiled_text: nothing dropped"
	[ "$truth" = no ] || truths "$profiled_text" native.out report
}
