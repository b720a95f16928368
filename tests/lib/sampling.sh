# sampling.sh -- Sampled runs of the workload "sampled" with many seeds.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # they are for the test

# estimate_runs DIR COUNT BYTES [ARG]... -- COUNT runs with --sample=BYTES; DIR gets N.txt and N.json
# for estimates.py.
estimate_runs()
{
	folder=$1 runs=$2 bytes=$3
	shift 3
	mkdir -p "$folder"
	for seed in $(seq "$runs"); do
		MEMUSAGE_SAMPLE_SEED=$seed memusage -q --no-timer --sample="$bytes" \
			--record="$folder/run.mur" -- sampled "$@" >"$folder/$seed.txt" &&
			memusageprint --to=json "$folder/run.mur" >"$folder/$seed.json" || return
	done
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
