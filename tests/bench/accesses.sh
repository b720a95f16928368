#!/bin/sh
# accesses.sh -- what counting reads and writes costs, by hooks and by emulation, beside Valgrind's
# DHAT.
#
#	MU_BUILD=... tests/bench/accesses.sh
#
# CPU time of whole runs, with the profile written: the least of BENCH_ROUNDS (3 here) runs of each
# variant in turn. Programs: one that reads and writes much (tests/bench/touch.c), compression by
# zlib, one that does nothing but allocate (tight.c), maps and strings in C++, the start of
# python3.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
BENCH_ROUNDS=${BENCH_ROUNDS:-3}
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"

has_valgrind='' has_emulator=''
command -v valgrind >/dev/null && has_valgrind=yes
command -v qemu-x86_64 >/dev/null && has_emulator=yes
hooks_of=$("$ours" --print-cflags=gcc) libs_of=$("$ours" --print-libs=gcc)

# built NAME COMMAND...: a program that may be missing here
built() {
	name=$1
	shift
	"$@" 2>cc.err || echo "no $name: $(head -n 1 cc.err)" >&2
}
cat >zip.c <<'END'
#include <stdlib.h>
#include <zlib.h>
int main(void)
{
	static const char *const words[] = { "memory ", "of ", "a ", "block ", "the ", "stack\n", "heap ", "so " };
	uLong n = 8000000, m = compressBound(n), k = 0;
	unsigned char *text = malloc(n), *out = malloc(m);
	unsigned int x = 1;
	while (k < n) {
		x = x * 1664525u + 1013904223u;
		for (const char *s = words[x >> 29]; *s && k < n; s++)
			text[k++] = (unsigned char)*s;
		if ((x >> 20 & 15) == 0 && k < n)
			text[k++] = (unsigned char)('a' + (x >> 16 & 15));
	}
	return compress2(out, &m, text, n, 6);
}
END
cat >maps.cc <<'END'
#include <map>
#include <string>
#include <vector>
int main()
{
	unsigned long sum = 0;
	for (int round = 0; round < 3; round++) {
		std::map<std::string, std::vector<int>> m;
		for (int i = 0; i < 20000; i++)
			m["a key that is no short one " + std::to_string(i * 7919 % 20000)].push_back(i);
		for (auto &e : m)
			sum += e.first.size() + e.second.size();
	}
	return sum == 0;
}
END
cc=${CC:-cc}
built zlib "$cc" -O2 -g zip.c -o zip -lz
built C++ "${CXX:-c++}" -O2 -g maps.cc -o maps
cp "$BENCH/touch" touch
# shellcheck disable=SC2086  # words are wanted
built hooks gcc -O2 -g $hooks_of "$MU_SRC/tests/bench/touch.c" -o touch-hooks $libs_of

# run VARIANT PROGRAM [ARGUMENT...]
run() {
	variant=$1
	shift
	case $variant in
	alone) measure alone "$@" ;;
	hooks)
		program=$1-hooks
		shift
		measure hooks "$ours" -q --accesses=hooks --dhat-out-file=out "$program" "$@"
		;;
	emulate) measure emulate "$ours" -q --accesses=emulate --dhat-out-file=out "$@" ;;
	dhat) measure dhat valgrind -q --tool=dhat --dhat-out-file=out "$@" ;;
	esac
}

# least VARIANT: CPU milliseconds, or nothing
least() {
	[ -s "figures.$1" ] && sort -n "figures.$1" | awk '$4 != 0 { bad = 1 }
		NR == 1 { v = $1 / 1000 } END { if (!bad) printf "%.0f", v }'
}

# row NAME PROGRAM [ARGUMENT...]
row() {
	name=$1
	shift
	[ -x "$1" ] || { echo "| $name | - | - | - | - | - | - |"; return; }
	rm -f figures.*
	for _ in $(seq "$ROUNDS"); do
		run alone "$@"
		[ ! -x "$1-hooks" ] || run hooks "$@"
		[ -z "$has_emulator" ] || run emulate "$@"
		[ -z "$has_valgrind" ] || run dhat "$@"
	done
	echo "$(least alone),$(least hooks),$(least emulate),$(least dhat)" | awk -F, -v name="$name" '
		function times(a, b) { return a && b ? sprintf("%.1fx", a / b) : "-" }
		function ms(v) { return v ? v " ms" : "-" }
		{ printf "| %s | %s | %s | %s | %s | %s | %s |\n", name, ms($1), ms($2), ms($3), ms($4),
			times($4, $2), times($4, $3) }'
}

echo '| program | alone | hooks | emulation | DHAT | DHAT / hooks | DHAT / emulation |'
echo '|---|---|---|---|---|---|---|'
row 'reads and writes much' ./touch 300
row 'zlib, 8 MB' ./zip
row 'C++ maps and strings' ./maps
row 'malloc and free alone' "$BENCH/tight" 1 2000000
# What is called python3 may be a script that looks for one.
row 'python3 -c pass' "$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || echo none)" -c pass
