# accesses.sh -- reads and writes: what the workload says of itself, and what was reported.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# truth FIELD FILE: the sum over all places that the workload printed
truth() {
	sed -n "s/^place .* $1=\([0-9]*\).*/\1/p" "$2" | awk '{ s += $1 } END { print s + 0 }'
}

# reported WORD FILE: "reads" or "writes" of a report
reported() {
	sed -n 's/,\([0-9]\)/\1/g; s/^memusage: .*'"$1"': \([0-9]*\) bytes.*/\1/p' "$2"
}

# places TEXT: each place of the profile dhat.out is as the workload says in the file `said`
places() {
	if ! command -v python3 >/dev/null; then
		skip 'python3 is not installed'
		return
	fi
	python3 "$MU_SRC/tests/lib/accesses.py" dhat.out said >places 2>&1
	num "$(grep -c '^ok ' places)" -eq 10 "$1: reads, writes and counts of each place" ||
		sed 's/^/# /' places
}
