# sampling.sh -- Sampled runs of the workload "sampled" with many seeds.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # they are for the test

# What runs, with which options of memusage, with which of memusageprint, and whether the report is
# about its only child.
program=sampled
options=
report_options=
about_child=

# estimate_runs DIR COUNT BYTES [ARG]... -- COUNT runs with --sample=BYTES; DIR gets N.txt and N.json
# for estimates.py. BYTES may be "all", without --sample.
estimate_runs()
{
	folder=$1 runs=$2 bytes=$3
	shift 3
	sample=--sample=$bytes
	[ "$bytes" != all ] || sample=
	mkdir -p "$folder"
	for seed in $(seq "$runs"); do
		# shellcheck disable=SC2086  # words, or none
		MEMUSAGE_SAMPLE_SEED=$seed memusage -q --no-timer $options $sample \
			--record="$folder/run.mur" -- $program "$@" >"$folder/$seed.txt" &&
			memusageprint --to=json $report_options \
				${about_child:+--pid=$(last_process "$folder/run.mur")} \
				"$folder/run.mur" >"$folder/$seed.json" || return
	done
}

# last_process FILE -- prints the ID of the last one of a recording.
last_process()
{
	memusageprint --processes "$1" | awk '$1 ~ /^[0-9]+$/ { pid = $1 } END { print pid }'
}

# estimates DIR COUNT [WHAT] -- sets $worst, $covered and $rarely, as estimates.py prints them.
estimates()
{
	summary=$(python3 "$MU_SRC/tests/lib/estimates.py" "$@") || summary=
	diag "$summary"
	worst=$(printf '%s\n' "$summary" | sed -n 's/.*worst=\([0-9]*\).*/\1/p')
	covered=$(printf '%s\n' "$summary" | sed -n 's/.*covered=\([0-9]*\).*/\1/p')
	rarely=$(printf '%s\n' "$summary" | sed -n 's/.*rarely=\([0-9]*\).*/\1/p')
}
