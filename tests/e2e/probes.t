#!/bin/sh
# probes.t -- The USDT probes otel_memory:alloc and :free are what OpenTelemetry's contract says: notes
# and semaphores that tools find, arguments in the first registers, an event for each recorded block;
# a listener wakes a program that is asleep, and is missed by none.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
need_bin memusage memusageprint
need readelf objdump
PATH=$WORKLOADS:$PATH
library=$MU_BUILD/lib/memusage/libmemusage.so

# ---- the notes ---------------------------------------------------------------------------

readelf -nW "$library" >notes
note() { # PROBE FIELD
	awk -v probe="$1" -v field="$2:" '$1 == "Name:" { name = $2 }
		name == probe && index($0, field) { sub(".*" field " *", ""); sub(",.*", ""); print; exit }' \
		notes
}
is "$(grep -c 'Provider: otel_memory' notes)" 2 'two probes of otel_memory'
if [ "$(uname -m)" = x86_64 ]; then
	is "$(note alloc Arguments)" '8@%rdi 8@%rsi 8@%rdx' 'alloc has its arguments in the first registers'
	is "$(note free Arguments)" '8@%rdi' 'free, too'
fi
is "$(note alloc Base)" "$(note free Base)" 'both have the base'
base=$(readelf -SW "$library" | sed -n 's/.* \.stapsdt\.base  *PROGBITS  *0*\([0-9a-f]*\) .*/\1/p')
is "$(note alloc Base)" "$(printf '0x%016x' "0x$base")" '... of .stapsdt.base'
for probe in alloc free; do
	at=$(note $probe Location)
	objdump -d --no-show-raw-insn --start-address="$at" --stop-address=$((at + 2)) "$library" >code
	like "$(cat code)" "<probe_$probe>:" "$probe is at the first byte of a function"
	like "$(cat code)" '	nop *$' '... which is a nop'
done
readelf -SW "$library" | sed -n 's/.* \.probes  *PROGBITS  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\).*WA.*/\1 \2/p' \
	>section
read -r start size <section
is "$((0x$size))" 4 'a writable section has two semaphores of 2 bytes'
is "$(($(note alloc Semaphore))) $(($(note free Semaphore)))" "$((0x$start)) $((0x$start + 2))" \
	'and the notes say where'

# ---- gdb ---------------------------------------------------------------------------------

cat >listen.gdb <<'END'
set pagination off
set confirm off
set breakpoint pending off
set print inferior-events off
handle SIGUSR1 nostop noprint pass
info probes stap otel_memory
break -probe-stap otel_memory:alloc
commands
silent
printf "alloc %lx %ld %ld\n", $_probe_arg0, $_probe_arg1, $_probe_arg2
continue
end
break -probe-stap otel_memory:free
commands
silent
printf "free %lx\n", $_probe_arg0
continue
end
printf "listening\n"
continue
END
goes_on() { ! grep -q '^State:	t' "/proc/$pid/status"; }
listen() { # until gdb, which stops the program first, lets it go on with the breakpoints in
	rm -f heard # of the listener before: gdb's own comes later
	gdb -nx -q -batch -p "$pid" -x listen.gdb >heard 2>gdb.err &
	gdb=$!
	until_true grep -q listening heard
	until_true goes_on
}
hush() { # until gdb has written what it heard; it takes its breakpoints and semaphores away
	kill -INT $gdb
	wait $gdb 2>/dev/null
}
heard() { grep -c "^$1 " heard; }
sum() { awk -v column="$1" '$1 == "alloc" { sum += $column } END { print sum + 0 }' heard; }
start() {
	begin_live memusage "$@" -q sh -c 'echo $$ >pid; exec live'
	tell alloc 1 10
	pid=$(cat pid)
}

if ! command -v gdb >/dev/null; then
	skip 'what gdb sees: it is not installed' 10
elif start --record=r.mur && ! gdb -nx -batch -p "$pid" >gdb.out 2>&1 </dev/null ||
	grep -q 'ptrace: \|not permitted' gdb.out; then
	skip "what gdb sees: it may not look at processes: $(grep ptrace gdb.out | head -1)" 10
	end
else
	listen
	like "$(cat heard)" 'stap *otel_memory *alloc .*libmemusage' 'gdb lists alloc'
	like "$(cat heard)" 'stap *otel_memory *free .*libmemusage' '... and free'
	tell alloc 20 300
	tell realloc 5 400
	tell free 9
	until_true prints_now 14 heard free
	hush
	is "$(heard alloc),$(sum 3),$(sum 4)" 25,8000,8000 'every block that is recorded is told, with its size'
	is "$(heard free)" 14 'every free, too; a realloc is both'
	# The first block is from before.
	is "$(sed -n 's/^free //p' heard | sort >freed
		sed -n 's/^alloc \([0-9a-f]*\) .*/\1/p' heard | sort -u >given
		comm -23 freed given | wc -l)" 1 'by the same addresses'
	tell alloc 3 100
	run memusage "--pid=$pid" status
	like "$out" ' 38 calls$' 'afterwards recording goes on'
	end

	start --sample=16K --record=r.mur
	listen
	tell alloc 3000 1000
	hush
	num "$(heard alloc)" -lt 400 'with samples, only sampled blocks are told'
	num "$(sum 4)" -gt 1800000 'by weights whose sum'
	num "$(sum 4)" -lt 4500000 '... is about what was allocated'
	end

	start --start-paused --record=r.mur
	tell alloc 10 100
	listen
	tell alloc 7 50
	tell free 12
	until_true prints_now 1 heard free
	hush
	is "$(heard alloc),$(heard free)" 7,1 'a listener wakes a program that is asleep'
	is_stopped() {
		tell spike 1 1000
		memusage "--pid=$pid" status | grep -q 'recording: stopped'
	}
	ok 'and it stops when the listener has gone' until_true is_stopped
	end
fi

# ---- bpftrace ----------------------------------------------------------------------------

if ! command -v bpftrace >/dev/null; then
	skip 'bpftrace finds them: it is not installed'
elif ! bpftrace -e 'BEGIN { exit(); }' >bpf.out 2>&1; then
	skip "bpftrace finds them: the kernel does not let it: $(tail -1 bpf.out)"
else
	like "$(bpftrace -l "usdt:$library:*" 2>&1)" 'otel_memory:alloc' 'bpftrace finds them'
	start --start-paused --record=r.mur
	tell alloc 10 100
	timeout 60 bpftrace -p "$pid" -e "
		usdt:$library:otel_memory:alloc { @blocks = count(); @bytes = sum(arg1); @weight = sum(arg2); }
		usdt:$library:otel_memory:free { @frees = count(); }
		BEGIN { printf(\"listening\n\"); }
		interval:s:5 { exit(); }" >bpf.out 2>&1 &
	bpf=$!
	until_true grep -q 'listening\|ERROR: \(fail\|Could\)' bpf.out
	tell alloc 30 100
	tell free 20
	wait $bpf
	tell spike 1 100
	if grep -q '@' bpf.out; then
		is "$(sed -n 's/^@//p' bpf.out | sort | tr '\n' ' ')" \
			'blocks: 30 bytes: 3000 frees: 9 weight: 3000 ' \
			'and counts what is recorded, of a program that it has woken'
	else
		skip "bpftrace counts: the kernel does not let it: $(grep ERROR bpf.out | tail -1)"
	fi
	end
fi

done_testing
