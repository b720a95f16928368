#!/bin/sh
# memusageprint_compat.t -- memusageprint prints a massif.out to the byte as ms_print does: golden
# files, random files with every option, and profiles that Valgrind makes here and now.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusageprint

for text in "$MU_SRC"/tests/golden/massif/*.txt; do
	name=$(basename "$text" .txt)
	cp "${text%.txt}.out" .
	# The command line is in the text itself.
	options=$(sed -n 's/^ms_print arguments: //p' "$text")
	# shellcheck disable=SC2086  # words are wanted
	run memusageprint $options
	is "$status$err" 0 "golden $name"
	same .out "$text" "golden $name: the text"
done

if ! command -v ms_print >/dev/null 2>&1; then
	skip 'no ms_print here' 2
	done_testing
fi

# equal FILE OPTION...: whether both programs succeed with the same text.
equal() {
	file=$1
	shift
	ms_print "$@" "$file" >want 2>want.err || { cat want.err; return 1; }
	memusageprint "$@" "$file" >got || return 1
	cmp want got || { diff want got | head -n 20; return 1; }
}

files=$(attempts 30 1200)
# Each with one set of options.
random_files() {
	seed=0 failed=0
	while [ "$seed" -lt "$files" ]; do
		perl "$MU_SRC/tests/lib/massif_random.pl" "$seed" >random
		case $((seed % 6)) in
		0) set -- ;;
		1) set -- --threshold=0 ;;
		2) set -- --threshold=100 --x=4 --y=4 ;;
		3) set -- --threshold=12.5% --x=1000 --y=1000 ;;
		*) set -- --x=$((4 + seed % 97)) --y=$((4 + seed % 31)) \
			--threshold=$((seed % 100)).$((seed % 7)) ;;
		esac
		equal random "$@" || { echo "seed $seed: $*"; failed=$((failed + 1)); }
		seed=$((seed + 1))
	done
	[ "$failed" = 0 ]
}
ok 'random files' random_files

# ---- what Valgrind writes today
if ! command -v valgrind >/dev/null 2>&1; then
	skip 'no valgrind here'
	done_testing
fi
printed() {
	for o in '' --threshold=0 '--threshold=10 --x=20 --y=4' '--x=4 --y=4' '--x=200 --y=40'; do
		# shellcheck disable=SC2086  # words are wanted
		equal "$1" $o || return 1
	done
}
# profile PROGRAM OPTION...: Massif's profile of a program of ours, printed in five ways.
profile() {
	program=$1
	shift
	has_program "$program" || {
		skip "this build has no $program"
		return
	}
	valgrind -q --tool=massif --massif-out-file=m.out "$@" "$WORKLOADS/$program" \
		>/dev/null 2>valgrind.err </dev/null
	if [ -s m.out ]; then
		ok "$program $*" printed m.out
	else
		skip "valgrind cannot run $program here"
	fi
}
profile sites
profile sites --time-unit=B
profile sites --time-unit=ms --stacks=yes
profile sites --time-unit=B --detailed-freq=1 --max-snapshots=10 --threshold=0
profile sites --time-unit=B --pages-as-heap=yes --depth=5
profile sites --time-unit=B --heap=no
profile sites --time-unit=B --alloc-fn=wrapped --ignore-fn=peak --heap-admin=100
profile sites --time-unit=B --peak-inaccuracy=0 --show-below-main=yes
profile family --time-unit=B
profile new --time-unit=B --detailed-freq=2
profile names --time-unit=B --threshold=0
done_testing
