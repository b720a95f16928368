#!/bin/sh
# hooked.t -- hooks count every access where they have a hard time: exceptions, atomic operations of
# 16 bytes, signal handlers and longjmp out of them, forks, threads that end, libraries that are
# closed; with gcc and clang, at two levels of optimisation (the others: tests/slow/hooked.t).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/accesses.sh"
need python3
need_bin memusage
need_machine x86_64 'hooks are made on x86-64 only'
need_recorder

cat >lib.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) volatile int *library_place(void) { return malloc(64); }
int library_work(int times);
int library_work(int times)
{
	volatile int *p = library_place();

	*p = 0;
	for (int i = 0; i < times; i++)
		*p += 1;
	free((void *)p);
	return times;
}
END

# build COMPILER LEVEL
build() {
	case $1 in gcc) cxx=g++ more= ;; *) cxx=clang++ more=-mcx16 ;; esac
	# shellcheck disable=SC2046,SC2086
	$cxx -g -O"$2" -w -DWIDE $more -fno-optimize-sibling-calls -pthread -I"$MU_SRC" \
		$(memusage --print-cflags="$1") -o hooked "$MU_SRC/tests/workloads/hooked.cc" \
		$(memusage --print-libs="$1") -ldl 2>build.err &&
		"$1" -g -O"$2" -w -fno-optimize-sibling-calls -fPIC -shared \
			$(memusage --print-cflags="$1") -o lib.so lib.c \
			$(memusage --print-libs="$1") 2>>build.err
}

# is_true PROFILE SAID: every place of the profile is what the program says
is_true() {
	python3 "$MU_SRC/tests/lib/accesses.py" "$1" "$2" 2>&1 | grep -v '^ok'
}

for compiler in gcc clang; do
	has_hooks $compiler || {
		skip "$why" 14
		continue
	}
	for level in ${MU_LEVELS:-0 2}; do
		build $compiler "$level" || {
			fail "$compiler -O$level builds" || diag "$(cat build.err)"
			continue
		}
		for mode in throw wide threads 'library ./lib.so' handler leave; do
			rm -f dhat.out
			# shellcheck disable=SC2086
			memusage -q --dhat-out-file=dhat.out --accesses=hooks ./hooked $mode >said
			is "$? $(grep -c '^place' said >/dev/null && is_true dhat.out said)" '0 ' \
				"$compiler -O$level, $mode"
		done
		rm -f dhat.out.*
		memusage -q --dhat-out-file=dhat.out.%p --accesses=hooks ./hooked fork >said
		sed -n 's/^process //p' said | while read -r pid; do
			sed -n "/^process $pid\$/,/place_child/p" said >said.one
			is_true "dhat.out.$pid" said.one
		done >wrong
		is "$(grep -c '^process' said) $(cat wrong)" '4 ' "$compiler -O$level, fork"
	done
done
done_testing
