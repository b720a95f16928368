# merged.sh -- sourced after tap.sh by tests of merges: recordings of which one is an outlier.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# record_ranks: makes r0.mur to r7.mur of eight ranks that hold 400 to 407 KiB, but for rank 5 with 900.
record_ranks() {
	for i in 0 1 2 3 4 5 6 7; do
		size=$((400 + i))
		[ "$i" -eq 5 ] && size=900
		SLURM_PROCID=$i memusage -q --record="r$i.mur" "$WORKLOADS/phases" "$size" 8 \
			</dev/null >/dev/null
	done
}
