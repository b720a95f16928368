#!/bin/sh
# accesses.t -- with hooks, every read and write of a program is counted, in one thread and in
# several, with atomic operations and signal handlers; by make, CMake and autotools as the manual
# says.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/accesses.sh"
need_bin memusage
need_machine x86_64 'reads and writes are counted on x86-64 only'
need_recorder

# build COMPILER: the workload with its hooks
build() {
	# shellcheck disable=SC2046
	$1 -g -O1 -w -fno-builtin -fno-optimize-sibling-calls -pthread \
		-D_GNU_SOURCE -I"$MU_SRC" $(memusage --print-cflags="$1") \
		-o "accesses-$1" "$MU_SRC/tests/workloads/accesses.c" \
		$(memusage --print-libs="$1") 2>build.err
}

# counted COMPILER THREADS
counted() {
	run "./accesses-$1" "$2"
	is "$status" 0 "$1: runs without memusage" || diag "$out"
	run memusage -o report --accesses=hooks "./accesses-$1" "$2"
	is "$status" 0 "$1: and with it, $2 threads"
	like "$(cat report)" 'counted by hooks' "$1: the report says who counted"
	is "$(reported reads report)" "$(truth reads .out)" "$1, $2 threads: reads"
	is "$(reported writes report)" "$(truth writes .out)" "$1, $2 threads: writes"
	unlike "$(cat report)" 'not recorded' "$1, $2 threads: nothing dropped"
	rm -f dhat.out
	memusage -q --dhat --dhat-out-file=dhat.out --accesses=hooks "./accesses-$1" "$2" >said
	places "$1, $2 threads"
}

for compiler in gcc clang; do
	if ! has_hooks $compiler; then
		skip "$why" 14
	elif build $compiler; then
		counted $compiler 1
		counted $compiler 8
	else
		fail "$compiler: builds with its flags" || diag "$(cat build.err)"
	fi
done

# ---- what the manual says of build systems ---------------------------------------------------

cat >touch.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	volatile int *p = malloc(400);
	char *text = malloc(100), *copy = malloc(100);

	for (int i = 0; i < 100; i++)
		p[i] = i;
	memset(text, 'x', 99);
	text[99] = 0;
	strcpy(copy, text);
	return p[99] != 99 || strlen(copy) != 99;
}
END
# 400 + 99 + 1 + 100 written; 4 + 100 + 100 read
touched() {
	run memusage -o report --accesses=hooks "$2"
	is "$status" 0 "$1: the program works"
	is "$(reported reads report) $(reported writes report)" '204 600' "$1: counted"
}

if has_hooks gcc; then
	printf 'touch: touch.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS)\n' >Makefile
	run make CC=gcc CFLAGS="-O2 $(memusage --print-cflags=gcc)" \
		LDLIBS="$(memusage --print-libs=gcc)"
	is "$status" 0 'make builds it' || diag "$out$err"
	touched make ./touch
	rm -f touch touch.o Makefile

	if command -v cmake >/dev/null; then
		printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(touch C)' \
			'add_executable(touch touch.c)' >CMakeLists.txt
		run cmake -B with-hooks -DCMAKE_C_COMPILER=gcc \
			-DCMAKE_C_FLAGS="$(memusage --print-cflags=gcc)" \
			-DCMAKE_EXE_LINKER_FLAGS="$(memusage --print-libs=gcc)"
		is "$status" 0 'CMake takes the flags' || diag "$out$err"
		run cmake --build with-hooks
		is "$status" 0 'CMake builds it' || diag "$out$err"
		touched CMake with-hooks/touch
	else
		skip 'cmake is not installed' 4
	fi

	if command -v autoreconf >/dev/null && command -v automake >/dev/null; then
		printf '%s\n' 'AC_INIT([touch],[1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' \
			'AC_CONFIG_FILES([Makefile])' 'AC_OUTPUT' >configure.ac
		printf '%s\n' 'bin_PROGRAMS = touch' 'touch_SOURCES = touch.c' >Makefile.am
		run autoreconf -i
		run ./configure CC=gcc CFLAGS="-O2 $(memusage --print-cflags=gcc)" \
			LIBS="$(memusage --print-libs=gcc)"
		is "$status" 0 'configure takes the flags' || diag "$out$err"
		run make
		is "$status" 0 'and make builds it' || diag "$out$err"
		touched autotools ./touch
	else
		skip 'autoconf or automake is not installed' 4
	fi
else
	skip "$why" 11
fi

# ---- what cannot be counted is said --------------------------------------------------------------

run memusage -o report --accesses=hooks "$WORKLOADS/heap"
like "$(cat report)" 'not counted: the program was not built for it' 'a program without hooks'
run memusage --print-cflags=tcc
is "$status" 125 'another compiler is an error'
like "$err" 'must be one of gcc' '... and says which are known'
run memusage --accesses=guess true
is "$status" 125 'another engine is an error'
done_testing
