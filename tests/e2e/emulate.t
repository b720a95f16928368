#!/bin/sh
# emulate.t -- under the emulator every read and write of an unmodified program is counted, in one
# thread and in several; programs that it executes are counted, too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/accesses.sh"
need_bin memusage instructions
need_machine x86_64 'emulators are used on x86-64 only'
need_recorder
PATH=$WORKLOADS:$PATH

# Without the emulator: a message that names the package.
mkdir empty
for tool in memusage memusageprint; do ln -s "$MU_BUILD/bin/$tool" empty/; done
run env PATH=empty "$MU_BUILD/bin/memusage" --accesses=emulate /bin/true
is "$status" 125 'without the emulator memusage fails'
like "$err" 'install the package qemu-user' '... and names the package'
if cp /bin/true empty/qemu-x86_64 2>/dev/null; then
	run env PATH=empty "$MU_BUILD/bin/memusage" --accesses=emulate /bin/true
	is "$status" 125 'an emulator without plugins is refused'
	like "$err" 'without plugins' '... with the reason'
fi
has_emulator || {
	skip "$why"
	done_testing
	exit
}

for threads in 1 8; do
	rm -f dhat.out
	memusage -q --dhat --dhat-out-file=dhat.out --accesses=emulate accesses $threads >said
	places "$threads threads"
done

run memusage -o report --accesses=emulate accesses 1
is "$status" 0 'a program with one thread works'
like "$(cat report)" 'counted by emulation' 'the report says who counted'
is "$(reported reads report)" "$(truth reads .out)" 'reads'
is "$(reported writes report)" "$(truth writes .out)" 'writes'
unlike "$(cat report)" 'not recorded' 'nothing dropped'

# The C library has blocks of its own for threads, always the same.
run memusage -o report --accesses=emulate accesses 8
is "$status" 0 'one with eight works'
reads=$(($(reported reads report) - $(truth reads .out))) writes=$(($(reported writes report) - $(truth writes .out)))
run memusage -o report --accesses=emulate accesses 8
is "$(($(reported reads report) - $(truth reads .out)))" "$reads" 'reads of eight threads'
is "$(($(reported writes report) - $(truth writes .out)))" "$writes" 'writes of eight threads'
num "$reads" -ge 0 'none is lost'
num "$reads" -lt 2000 'none is invented'

# Instructions: those of a loop between two runs without one, none lost by eight threads.
executed() {
	memusage -q --accesses=emulate --time-unit=i --dhat-out-file=i.json instructions "$@" >/dev/null
	sed -n 's/.*"te":\([0-9]*\).*/\1/p' i.json
}
alone=$(executed 1 0)
is "$(executed 1 0) $(executed 1 0)" "$alone $alone" 'instructions of a program are the same in each run'
busy=
for loop in 1 2 3 4; do
	timeout 60 sh -c "while :; do : $loop; done" &
	busy="$busy $!"
done
is "$(executed 1 0) $(executed 1 0) $(executed 1 0)" "$alone $alone $alone" '... also of a busy machine'
# shellcheck disable=SC2086
kill $busy
# Names with process IDs are in the environment, which moves the stack.
if unshare -rpf --mount-proc true 2>/dev/null; then
	for last in 3 90 990 9990 31990; do
		unshare -rpf --mount-proc sh -c "echo $last >/proc/sys/kernel/ns_last_pid
			memusage -q --accesses=emulate --time-unit=i --dhat-out-file=i.json instructions 1 0" >/dev/null
		sed -n 's/.*"te":\([0-9]*\).*/\1/p' i.json
	done >digits
	is "$(sort -u digits)" "$alone" '... and with process IDs of one digit as of five'
else
	skip 'no namespace for process IDs'
fi
for end in exit abort; do
	more=$(($(executed 1 2 $end) - $(executed 1 0 $end)))
	is $more 4000000 "instructions before ${end}: all are counted"
done
executed 1 0 >/dev/null
like "$(head -c 600 i.json)" '"tu":"instrs"' '... and are the time'
like "$(head -c 600 i.json)" '"tuth":500' '... by which a life is short, as for DHAT'
for threads in 1 8; do
	more=$(($(executed $threads 2) - $(executed $threads 0)))
	# Starting threads takes some more or less.
	num $more -ge $((3960000 * threads)) "instructions of $threads threads: all are counted"
	num $more -le $((4040000 * threads)) '... and nothing else'
done
memusage -q --accesses=emulate --time-unit=i --massif-out-file=i.massif instructions 1 2 >/dev/null
is "$(sed -n 's/^time_unit: //p' i.massif)" i 'a massif.out has them, too'
num "$(sed -n 's/^time=//p' i.massif | tail -n 1)" -gt 4000000 '... as its time'

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
compile "${CC:-cc}" illegal.c -o illegal
run memusage -q --accesses=emulate ./illegal
is "$status" 132 'an unknown instruction kills the program, as it does without us'
like "$err" 'AVX-512' '... and what it may mean is said'
done_testing
