#!/bin/sh
# dhat.sh -- what a profile as DHAT's costs, beside the recording of call stacks alone and beside
# Valgrind's DHAT.
#
#	MU_BUILD=... tests/bench/dhat.sh
#
# CPU time that is added per event, an event being a malloc or a free: the least of BENCH_ROUNDS (5)
# runs of each in turn, less that of the program alone. Short and long runs are subtracted from each
# other, so that starting and reporting do not count.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
events=${BENCH_EVENTS:-2000000}

# once VARIANT DEPTH EVENTS: CPU microseconds go to a file of their own
once() {
	case $1 in
	alone) set -- "$@" ;;
	stacks) set -- "$@" "$ours" -q --record=rec ;;
	points) set -- "$@" "$ours" -q --dhat-out-file=out ;;
	*) set -- "$@" valgrind -q --tool=dhat --dhat-out-file=out ;;
	esac
	variant=$1 depth=$2 count=$3
	shift 3
	"$BENCH/measure" "$@" "$BENCH/deep" "$depth" "$count" |
		awk '{ print $1 }' >>"$variant.$depth.$count"
}

least() { sort -n "$1" | head -1; }

# per_event VARIANT DEPTH EVENTS: nanoseconds per event of a variant
per_event() {
	echo "$(least "$1.$2.$3") $(least "$1.$2.$(($3 / 10))") $3" |
		awk '{ printf "%.1f", ($1 - $2) * 1000 / ($3 * 0.9) }'
}

has_valgrind=
command -v valgrind >/dev/null && has_valgrind=yes
echo "| depth | alone, ns/event | stacks: + | program points: + | ratio | Valgrind's DHAT: + |"
echo "|---|---|---|---|---|---|"
for depth in 5 13 33; do
	for round in $(seq "$ROUNDS"); do
		for variant in alone stacks points ${has_valgrind:+valgrind}; do
			# Valgrind is too slow for as many.
			[ "$variant" = valgrind ] && n=$((events / 10)) || n=$events
			[ "$variant" = valgrind ] && [ "$round" -gt 2 ] && continue
			once "$variant" "$depth" "$n"
			once "$variant" "$depth" $((n / 10))
		done
	done
	valgrind=-
	[ -n "$has_valgrind" ] && valgrind=$(per_event valgrind "$depth" $((events / 10)))
	echo "$depth $(per_event alone "$depth" "$events") $(per_event stacks "$depth" "$events")" \
		"$(per_event points "$depth" "$events") $valgrind" |
		awk '{ printf "| %s | %.1f | %.1f | %.1f | %.2f | %s |\n", $1, $2, $3 - $2, $4 - $2,
			($4 - $2) / ($3 - $2), $5 == "-" ? "not installed" : sprintf("%.0f", $5 - $2) }'
done
