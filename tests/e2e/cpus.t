#!/bin/sh
# cpus.t -- on every kind of CPU the recorder, entered from code that it patched, changes no register
# that the program has in use, be it of SSE, AVX, AVX-512 or x87; and counts the same.
#
# For one CPU stand those that libc's functions are chosen for, and what qemu-user emulates, where code
# is not patched. MU_CPUS names the CPUs to emulate, default two; `make check-cpus` takes more.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/cpus.sh"
need_machine x86_64 'code is changed on x86-64 only'
need_bin registers registers_own macros family threads forks stacks signals

# ---- libc's functions of each level --------------------------------------------------------

chosen() { registers versions | tail -n 1; }
unset GLIBC_TUNABLES # of a run at one level
best=$(chosen)
symbols='--alloc-symbol=pool_take:size=arg1,ptr=ret --free-symbol=pool_give:ptr=arg1'

# unchanged TEXT REPORT COMMAND...: it prints the CPU's unit and nothing that changed
unchanged() {
	unchanged_text=$1 unchanged_row=$2
	shift 2
	rm -f report
	run memusage -o report "$@"
	is "$status" 0 "$unchanged_text: ends well"
	is "$out" "$unit" "... no register is changed"
	is "$err" '' "... nor is anything said"
	num "$(report_field "$unchanged_row" calls)" -ge 4 '... calls were recorded'
}

# Every way into the recorder, plainly and with all that is done at the first events: modules are
# found, stacks unwound, their names asked for.
every_way() {
	for more in '' '--record=rec' '--massif --massif-out-file=m --ignore-fn=none'; do
		# shellcheck disable=SC2086  # several options
		{
			unchanged "$1: requests $more" malloc --client-requests=yes $more \
				registers request
			unchanged "$1: functions with names $more" malloc $symbols $more \
				registers symbol
			unchanged "$1: the program's own malloc $more" malloc $more \
				registers_own own
		}
	done
	unchanged "$1: pages" 'mremap' --pages-as-heap=yes registers pages
	unchanged "$1: pages, with stacks" 'mremap' --pages-as-heap=yes --record=rec registers pages
}

unit=$(registers request)
like "$unit" '^(sse|avx|avx512)$' "the program knows the CPU, and changes nothing by itself"
diag "the CPU's level: $(cpu_level)"
for level in $(cpu_levels); do
	GLIBC_TUNABLES=$(cpu_tunables "$level")
	export GLIBC_TUNABLES
	[ "$level" = "$(cpu_level)" ] || isnt "$(chosen)" "$best" "$level: libc chooses others"
	every_way "$level"
	if [ "$(macros blocks)" = 'no headers' ]; then
		skip 'the headers of Valgrind are not installed'
		continue
	fi
	for part in registers threads; do
		profiled "$level: $part" --client-requests=yes --record=rec -- macros $part
	done
	run memusage -o report --client-requests=yes --record=rec macros interrupted
	is "$status$out" 0 "$level: signals everywhere"
	num "$(report_field malloc calls)" -ge 100000 '... requests are served'
done
unset GLIBC_TUNABLES

# ---- emulated ------------------------------------------------------------------------------

if ! command -v qemu-x86_64 >/dev/null; then
	skip 'qemu-user is not installed'
	done_testing
fi

# The emulator itself is not recorded, what it runs is. It warns of what it cannot emulate.
cat >guest <<'END'
#!/bin/sh
recorder=${LD_PRELOAD:-}
unset LD_PRELOAD
exec qemu-x86_64 ${recorder:+-E} ${recorder:+LD_PRELOAD="$recorder"} -cpu "$CPU" "$@" 2>guest.err
END
chmod +x guest
export CPU
for CPU in ${MU_CPUS:-qemu64 Haswell}; do
	for program in 'family plain' 'threads churn' 'stacks deep'; do
		# shellcheck disable=SC2086  # program and argument
		profiled "$CPU: $program" --record=rec -- ./guest "$WORKLOADS"/$program
	done
	truth=no
	profiled "$CPU: forks" -- ./guest "$WORKLOADS/forks" fork
	truth=yes
	# The shell, which is recorded until it executes the emulator, is no child of the program.
	grep -v '(before exec)' report >report.program
	truths "$CPU: forks" native.out report.program
	# A signal frame is known, whatever the CPU saves in it: no handler is taken for one that left.
	run env LD_PRELOAD="$WORKLOADS/libbump.so" memusage -o report -- ./guest "$WORKLOADS/signals" storm
	is "$status" 0 "$CPU: signals everywhere"
	made=$(sed -n 's/^made //p' .out)
	nested=$(sed -n 's/.*not recorded: \([0-9]*\) calls from signal handlers.*/\1/p' report)
	num "${made:-0}" -gt 0 '... blocks are made'
	is $(($(report_field malloc calls) + $(report_field free calls) + ${nested:-0})) $((2 * made)) \
		'... every call is recorded or counted as not recorded'
done
done_testing
