#!/bin/sh
# attach_odd.t -- a process is not harmed either by a recorder that comes in rarer moments: in
# restartable sequences, io_uring, coroutines, while signals end its calls, while it executes itself
# anew, and when two attachers come at once; and one whose malloc is not the system's is left alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage attached attached_odd live without
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

# visit [NAME]: whether a recorder came and went
visit() {
	memusage --attach="$program" --duration=20ms -q --record="${1:-run}.mur" 2>>refused 3>&-
}
# unharmed TEXT
unharmed() {
	is "$ended" 0 "$1: it ends as alone"
	like "$(tail -1 output)" '^done=[1-9][0-9]* bad=0$' '... and nothing was wrong'
}

visits=$(attempts 4 8)
for what in sequences ring polled interruptions coroutines preempted; do
	begin_stranger attached_odd "$what"
	came=0
	: >refused
	for _ in $(seq "$visits"); do
		visit && came=$((came + 1))
	done
	end_stranger
	if [ "$ended" = 77 ]; then
		skip "no $what here" 3
		continue
	fi
	if [ "$what" = preempted ]; then
		# Coroutines that handlers have left inside the recorder keep it there; it says so.
		num "$came" -ge 1 'attached_odd preempted: a recorder comes and goes'
		[ "$came" = "$visits" ] || like "$(cat refused)" 'has interrupted the recorder; it stays there' \
			'... or stays, with the reason'
	else
		is "$came" "$visits" "attached_odd $what: a recorder comes and goes"
	fi
	unharmed "attached_odd $what"
	# A visit stops it twice.
	[ "$what" != interruptions ] ||
		num "$(sed -n 's/^lost=//p' output)" -le $((2 * visits)) '... few calls waited for another signal'
	sed 's/^/# /' refused
done

# One of its threads is the kernel's, which has no cache of blocks.
begin_stranger attached_odd polled
if kill -0 "$program" 2>/dev/null; then
	run memusage --pid="$program" census
	is "$status" 0 'a process with a thread of the kernel: its blocks are counted' || diag "$err"
else
	skip 'no io_uring with a thread of the kernel here'
fi
end_stranger

# It goes on as another image, which nobody records; or it is that one which is attached to.
begin_stranger attached_odd execs
for _ in $(seq "$visits"); do
	visit || :
done
end_stranger
unharmed 'a process that executes itself anew'

# ---- all of it is a coroutine ------------------------------------------------------------------

begin_stranger attached_odd alone
: >refused
from=$(date +%s%N)
visit
is "$?" 125 'a program that is a coroutine all the time is refused'
took=$((($(date +%s%N) - from) / 1000000))
like "$(cat refused)" 'its only thread runs on a stack of its own \(a coroutine\): start it under memusage$' \
	'... with the reason'
diag "after $took ms"
num "$took" -lt 6000 '... soon'
end_stranger
unharmed '... and the program'

# ---- two at once -----------------------------------------------------------------------------

begin_stranger attached blocks 4
first=0 both=0
for _ in 1 2 3 4 5 6; do
	: >refused
	visit other &
	other=$!
	came=0
	visit && came=1
	wait "$other" && came=$((came + 1))
	[ "$came" = 0 ] || first=$((first + 1))
	[ "$came" = 2 ] || grep -q 'is recorded already' refused || {
		both=$((both + 1))
		diag "$(cat refused)"
	}
done
end_stranger
is "$first" 6 'of two attachers at once one comes in'
is "$both" 0 '... and the other does as well, or says why not'
unharmed '... the process'

# ---- other tracers, older kernels ------------------------------------------------------------

begin_stranger attached threads
if command -v gdb >/dev/null; then
	run gdb -nx -batch -p "$program" -ex "shell memusage --attach=$program -q --record=run.mur"
	like "$err" 'cannot attach .* traces it already' 'a process in a debugger is refused'
	: >refused
	ok '... and attached to when the debugger is gone' visit
else
	skip 'no gdb here' 2
fi
without pidfd_getfd,pidfd_open,kcmp,process_vm_readv memusage --attach="$program" \
	--duration=100ms -q --top -o old_kernel 3>&-
is "$?" 0 'an attacher on an older kernel'
like "$(cat old_kernel)" 'allocated by' '... records'
end_stranger
unharmed '... and the process'

# ---- a malloc that is not the system's -------------------------------------------------------

# sanitized TEXT COMPILER OPTION...
sanitized() {
	text=$1
	shift
	if ! "$@" -I"$MU_SRC" -o sanitized "$MU_SRC/tests/workloads/attached.c" -pthread -ldl \
		2>/dev/null || ! echo | ./sanitized blocks 2 >/dev/null 2>&1; then
		skip "$text cannot be built here" 3
		return
	fi
	begin_stranger ./sanitized blocks 2
	: >refused
	visit
	is "$?" 125 "$text is refused"
	like "$(tail -1 refused)" 'a sanitizer' '... with the reason'
	end_stranger
	is "$ended" 0 '... unharmed'
}
sanitized 'a program with libasan' "${CC:-cc}" -fsanitize=address
sanitized 'a program with a sanitizer of its own' "${CC:-cc}" -fsanitize=address -static-libasan
sanitized 'a program with a sanitizer of threads of its own' "${CC:-cc}" -fsanitize=thread -static-libtsan
sanitized 'a program of clang' clang -fsanitize=thread

# The breakpoint of a debugger that is gone: nothing but `live` itself would run into it.
begin_live live
tell alloc 100 1000
program=$job
python3 - "$program" <<'EOF' >place 2>/dev/null || :
import re, subprocess, sys
pid = sys.argv[1]
start, name = re.search(r"^([0-9a-f]+)-.* r--p 00000000 .*?(/\S+/libc\.so\.6)$",
                        open(f"/proc/{pid}/maps").read(), re.M).groups()
table = subprocess.run(["nm", "-D", name], capture_output=True, text=True).stdout
at = int(start, 16) + int(re.search(r"^([0-9a-f]+) . calloc@", table, re.M).group(1), 16)
with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
    memory.seek(at)
    before = memory.read(1)
    memory.seek(at)
    memory.write(b"\xcc")
    print("written", flush=True)
    refusal = subprocess.run(["memusage", f"--attach={pid}", "--duration=20ms", "-q",
                              "--record=run.mur"], capture_output=True, text=True)
    memory.seek(at)
    print(refusal.returncode, memory.read(1) == b"\xcc", refusal.stderr)
    memory.seek(at)
    memory.write(before)
EOF
if grep -q written place; then
	like "$(cat place)" '^125 True ' 'a process with a breakpoint in its malloc is refused'
	like "$(cat place)" 'cannot attach.*(changed the code of its malloc|calloc)' '... with the reason'
	ok '... and attached to without it' visit
else
	skip 'no breakpoint could be written' 3
fi
end

# ---- a name that is a command to a terminal

if command -v perl >/dev/null; then
	perl -e '$0 = "a\e[31mb"; sleep 60' &
	named=$!
	is_named() { grep -q "$(printf '\033')" "/proc/$named/comm"; }
	until_true is_named
	run memusage --attach=$named --duration=1ms --record=named.mur
	like "$err" "^memusage: process $named \(a.x1b.31mb\) is recorded" 'the name is shown with numbers'
	unlike "$err" "$(printf '\033')" '... and nothing that a terminal obeys'
	kill $named
else
	skip 'no perl' 2
fi
done_testing
