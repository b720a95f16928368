#!/bin/sh
# mpi.t -- recordings of MPI ranks: names by %r and %h, the outlier first, the sum and a curve of each.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint ranks

# ---- names -----------------------------------------------------------------------------------------

# without VARIABLE...: no launcher of ranks is known
alone() {
	env -u OMPI_COMM_WORLD_RANK -u PMIX_RANK -u PMI_RANK -u SLURM_PROCID "$@"
}
for variable in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID; do
	run alone env "$variable=12" memusage -q --record=%r.%h.mur true
	is "$status" 0 "$variable is a rank"
	ok '... in the name, with the machine' test -s "12.$(hostname | sed 's/\..*//').mur"
	rm -f 12.*.mur
done
run alone memusage -q --record=%r.mur true
is "$status" 125 'without a launcher there is none'
like "$err" 'neither mpirun nor srun' '... which is said before the program runs'

# Two machines, of which one was recorded elsewhere.
alone env SLURM_PROCID=0 memusage -q --record=0.mur true
alone env SLURM_PROCID=1 memusage -q --record=1.mur true
if command -v python3 >python3.path; then
	cat >rename.py <<'EOF'
import struct, sys, zlib
d = bytearray(open('1.mur', 'rb').read())
at = d.index(sys.argv[1].encode()[:23] + b'\0', 0, 4096)
d[at:at + 24] = b'elsewhere'.ljust(24, b'\0')
size = struct.unpack_from('<I', d, 12)[0]
struct.pack_into('<I', d, 92, 0)
struct.pack_into('<I', d, 92, zlib.crc32(bytes(d[:size])))
open('1.mur', 'wb').write(d)
EOF
	python3 rename.py "$(hostname | sed 's/\..*//')"
	run memusageprint --merge 0.mur 1.mur
	is "$status" 0 'recordings of two machines'
	like "$out" 'on elsewhere, 1 process together' '... have the sum of each'
	like "$out" 'rank +pid' '... and ranks'
	if has_page "$MU_BUILD" && [ -x "$MU_BUILD/bin/memusagestat" ]; then
		memusagestat --html=two.html --merge 0.mur 1.mur
		is "$(grep -o '"name":"[^"]*","processes":1,"peak":[0-9]*,"curve":' two.html |
			grep -c .)" 2 '... a page has the sum and the course of each machine'
	else
		skip 'this build has no HTML page'
	fi
else
	skip 'no python3' 4
fi

# A process that no launcher started, with one that has a rank.
alone memusage -q --record=none.mur true
run memusageprint --merge --processes none.mur 0.mur
is "$(printf '%s\n' "$out" | sed -n '/^  rank /,/^then/p' | awk '/true/ { printf "%s ", $1 }')" \
	'0 - ' 'a process without a rank comes last'

# ---- real launchers ----------------------------------------------------------------------------------

# launch NAME LIBRARY RUN...: eight ranks of a program that initialises MPI
launch() {
	name=$1 library=$2
	shift 2
	if ! command -v "$1" >launcher.path; then
		skip "no $1 (package ${name})" 10
		return
	fi
	mkdir "$name"
	cd "$name" || exit 1
	run alone "$@" memusage -q --record=run.%r.%h.mur "$WORKLOADS/ranks" "$library" 640
	is "$status" 0 "$name: eight ranks run"
	[ "$status" -eq 0 ] || diag "$err"
	is "$(printf '%s\n' "$out" | grep -c '^rank [0-7]$')" 8 '... each with its number'
	is "$(find . -name 'run.[0-7].*.mur' | wc -l)" 8 '... and its recording'
	run memusageprint --merge --top run.*.mur
	is "$status" 0 '... which are merged'
	like "$out" '^8 processes together held' '... all of them'
	like "$out" 'peak of each: in all 8 processes: .*; outliers?: rank 3 on ' '... rank 3 has more'
	like "$(printf '%s\n' "$out" | sed -n '/^  rank /{n;p;q;}')" '^ +3 .*ranks.*outlier' \
		'... and is the first in the table'
	is "$(printf '%s\n' "$out" | sed -n '/^  rank /,/^then/p' |
		awk '$1 ~ /^[0-7]$/ { printf "%s", $1 }')" 30124567 '... then ranks in their order'
	like "$out" '^   7\.50 MiB .* 256  hold_field' '... and its place has the sum of all'
	like "$out" 'least 640 KiB, median 640 KiB, most 3\.1[23] MiB; outlier: rank 3' \
		'... and what each rank has of it'
	cd ..
}
# What Open MPI asks of root, and of a machine with fewer cores than ranks.
launch openmpi libmpi.so.40 mpirun.openmpi --allow-run-as-root --oversubscribe -n 8
launch mpich libmpich.so.12 mpirun.mpich -n 8
done_testing
