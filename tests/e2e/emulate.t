#!/bin/sh
# emulate.t -- under the emulator every read and write of an unmodified program is counted, in one
# thread and in several; programs that it executes are counted, too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
[ -e "$MU_BUILD/lib/memusage/libmemusage.so" ] || skip_all 'no recorder for this machine'
PATH=$WORKLOADS:$PATH

# Without the emulator: a message that names the package.
mkdir empty
for tool in memusage memusageprint; do ln -s "$MU_BUILD/bin/$tool" empty/; done
run env PATH=empty "$MU_BUILD/bin/memusage" --accesses=emulate /bin/true
is "$status" 125 'without the emulator memusage fails'
like "$err" 'install the package qemu-user' '... and names the package'
command -v qemu-x86_64 >/dev/null || {
	skip 'qemu-user is not installed'
	done_testing
	exit
}

# truth FIELD: the sum over all places that the workload printed
truth() {
	sed -n "s/^place .* $1=\([0-9]*\).*/\1/p" .out | awk '{ s += $1 } END { print s + 0 }'
}
# reported WORD [REPORT]
reported() {
	sed -n 's/,\([0-9]\)/\1/g; s/^memusage: .*'"$1"': \([0-9]*\) bytes.*/\1/p' "${2:-report}"
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

for threads in 1 8; do
	rm -f dhat.out
	memusage -q --dhat --dhat-out-file=dhat.out --accesses=emulate accesses $threads >said
	places "$threads threads"
done

run memusage -o report --accesses=emulate accesses 1
is "$status" 0 'a program with one thread works'
like "$(cat report)" 'counted by emulation' 'the report says who counted'
is "$(reported reads)" "$(truth reads)" 'reads'
is "$(reported writes)" "$(truth writes)" 'writes'
unlike "$(cat report)" 'not recorded' 'nothing dropped'

# The C library has blocks of its own for threads, always the same.
run memusage -o report --accesses=emulate accesses 8
is "$status" 0 'one with eight works'
reads=$(($(reported reads) - $(truth reads))) writes=$(($(reported writes) - $(truth writes)))
run memusage -o report --accesses=emulate accesses 8
is "$(($(reported reads) - $(truth reads)))" "$reads" 'reads of eight threads'
is "$(($(reported writes) - $(truth writes)))" "$writes" 'writes of eight threads'
num "$reads" -ge 0 'none is lost'
num "$reads" -lt 2000 'none is invented'

# Forks, exec, scripts and shells.
run memusage -o report --accesses=emulate family plain
run family plain
cp .out native
run memusage -o report --accesses=emulate family plain
same .out native 'a program that forks works'
printf '#!/bin/sh\necho "$1" | cat\nexec env true\n' >script
chmod +x script
run memusage -o report --accesses=emulate ./script 'two words'
is "$out" 'two words' 'a script works'
like "$(cat report)" 'process [0-9]* cat: ' 'what it executes is recorded'
like "$(cat report)" 'counted by emulation' '... and what it becomes'
run memusage -o report --accesses=emulate --trace-children=no ./script x
is "$out" x 'without children the script works, too'
unlike "$(cat report)" 'process [0-9]* cat: ' '... and they are not recorded'

# What cannot be emulated is said.
echo 'echo no' >plain.sh
chmod +x plain.sh
run memusage --accesses=emulate ./plain.sh
is "$status" 125 'a script without an interpreter is refused'
like "$err" 'cannot be emulated' '... with the reason'
cat >illegal.c <<'END'
int main(void) { __asm__ volatile("ud2"); return 0; }
END
if ${CC:-cc} illegal.c -o illegal 2>/dev/null; then
	run memusage -q --accesses=emulate ./illegal
	is "$status" 132 'an unknown instruction kills the program, as it does without us'
	like "$err" 'AVX-512' '... and what it may mean is said'
else
	skip 'cannot build a program' 2
fi
done_testing
