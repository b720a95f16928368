# bench.sh -- what the scripts of tests/bench begin with: the programs, and a directory to work in.
#
#	. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
#
# $ours is our memusage, $ours_stat our memusagestat, $BENCH where the helpers are, $BENCH_ROUNDS
# how often each variant is run (5).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u

MU_SRC=$(cd "${MU_SRC:-$(dirname "$0")/../..}" && pwd) || exit 1
MU_BUILD=$(cd "${MU_BUILD:-$MU_SRC/build}" && pwd) || exit 1
BENCH=$MU_BUILD/tests/bench
[ -x "$BENCH/measure" ] && [ -x "$BENCH/linked" ] ||
	{ echo "$BENCH has no programs: make bench builds them" >&2; exit 1; }
ROUNDS=${BENCH_ROUNDS:-5}
ours=$MU_BUILD/bin/memusage
# shellcheck disable=SC2034
ours_stat=$MU_BUILD/bin/memusagestat
TMP=$(mktemp -d "${TMPDIR:-/tmp}/mu-bench.XXXXXX") || exit 1
trap 'rm -rf "$TMP"' EXIT
trap 'exit 1' HUP INT TERM
cd "$TMP" || exit 1
# Not that of the user, which may know all names.
export XDG_CACHE_HOME="$TMP/cache"

# measure VARIANT COMMAND...: adds a line to the variant's figures: CPU us, wall us, RSS KB, status.
measure() {
	variant=$1
	shift
	"$BENCH/measure" "$@" >>"$TMP/figures.$variant"
}

# measure_recording VARIANT COMMAND...: the same under a tool that keeps call stacks, unless it is
# missing.
measure_recording() {
	variant=$1
	shift
	case $variant in
	counting) set -- "$ours" -q "$@" ;;
	stacks) set -- "$ours" -q --record=kept.mur "$@" ;;
	# Version 1.4 sometimes runs into an error of its own and goes on for minutes.
	heaptrack) set -- timeout "${HEAPTRACK_SECONDS:-20}" heaptrack -o track "$@" ;;
	massif) set -- valgrind -q --tool=massif --massif-out-file=massif.out "$@" ;;
	esac
	[ "$variant" != heaptrack ] || command -v heaptrack >/dev/null || return 0
	command -v "$1" >/dev/null || return 0
	measure "$variant" "$@"
	rm -f kept.mur track* massif.out
}
