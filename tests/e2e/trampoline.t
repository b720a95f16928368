#!/bin/sh
# trampoline.t -- Stacks lead through generated code that has neither unwind tables nor a frame
# pointer, but the form of CPython's trampolines; also from a signal handler.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
[ "$(uname -m)" = x86_64 ] || skip_all 'needs code for x86-64'

# leads WHAT ARG...: each call is in the stack of the allocation, from main on
leads() {
	what=$1
	shift
	run memusage -o report --stats=yes --record=kept.mur "$WORKLOADS/trampoline" "$@"
	is "$status" 0 "$what: the program ends well"
	truth=$(printf '%s\n' "$out" | sed -n 's/.*depth=\([0-9]*\) .*bytes=\([0-9]*\)$/\1 \2/p')
	memusageprint --tree=total --to=folded kept.mur >folded
	# Some compilers repeat the call at several places.
	is "$(awk '/;level;/ { bytes[gsub(";level;", ";") - 1] += $NF }
		END { for (depth in bytes) print depth, bytes[depth] }' folded | sort)" "$truth" \
		"$what: each call leads to the allocation"
	like "$(grep ';level;' folded)" '^(.*;)?main;level;' "$what: from main on"
	unlike "$(cat report)" 'end too early|found by frame pointers' "$what: no stack is cut or guessed"
}

leads 'calls through trampolines'
leads 'a signal handler below them' signal

# Python's functions have their names in the whole stack of an allocation.
# It holds them for as long as its start took, however busy the machine is: areas are bytes x time.
cat >names.py <<'END'
import os, time
kept = []
def innermost(n):
    kept.append(bytes(n))
def outermost():
    for i in range(50):
        innermost(20000 + i)
outermost()
began = int(open('/proc/self/stat').read().rsplit(')', 1)[1].split()[19])
now = time.clock_gettime(time.CLOCK_BOOTTIME)
time.sleep(max(0.1, now - began / os.sysconf('SC_CLK_TCK')))
END
python=
for candidate in python3 python3.12 python3.13 python3.14 ~/.pyenv/versions/*/bin/python3; do
	[ "$("$candidate" -X perf -c 'import sys; print(sys.is_stack_trampoline_active())' \
		2>/dev/null)" = True ] && python=$candidate
done
if [ -z "$python" ]; then
	skip 'no python3 of 3.12 or later' 6
else
	PYTHONMALLOC=malloc memusage -q --record=python.mur "$python" -X perf names.py
	memusageprint --tree=peak --to=folded python.mur >folded
	num "$(awk '/^(.*;)?(main|Py_BytesMain);.*py::outermost;.*py::innermost;/ { n += $NF }
		END { print n + 0 }' folded)" -ge 1001225 \
		'python: its functions are in the stacks from main on, with their bytes'
	like "$(memusageprint --top python.mur)" 'py::innermost \(names\.py\)' \
		'python: with their source, by its short name'
	like "$(memusageprint --top --group=file python.mur)" '[0-9]+%.*names\.py' \
		'python: by which they are grouped'
	if [ -x "$MU_BUILD/bin/memusagestat" ]; then
		run memusagestat --flame -o python.svg python.mur
		like "$(cat python.svg)" 'py::innermost \(names\.py\)' 'python: also in pictures'
		run memusagestat --bands -o bands.svg python.mur
		like "$(cat bands.svg)" '\(names\.py\)' '... of areas'
	else
		skip 'no memusagestat here' 2
	fi
	run memusage -o report --stats=yes --record=again.mur "$python" -X perf names.py
	unlike "$(cat report)" 'end too early' 'python: no stack ends at one of them'
fi
done_testing
