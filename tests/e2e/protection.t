#!/bin/sh
# protection.t -- what distributions build with stays in force: with -fcf-protection=full the recorder's
# objects are marked for indirect branch tracking and shadow stacks, assembly too, and the programs
# are built with checks of the C library, in the recorder's objects never. Without optimisation it
# records as well.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need make readelf
need_bin memusage heap
CC=${CC:-cc}

marks() { readelf -W -n "$1" 2>/dev/null | sed -n 's/.*x86 feature: //p'; }

case $PWD in *[[:space:]]*) skip_all 'make takes no folder with a blank in its name' ;; esac

# All of the recorder's objects are linked to one: a mark is left if each has it.
built() {
	make -s -C "$MU_SRC" -j2 B="$PWD/$1" SAN= HTML=no \
		CFLAGS="$2" "$PWD/$1/obj/recorder-renamed.o" \
		"$PWD/$1/lib/memusage/libmemusage.so" >log 2>&1
	is "$?" 0 "the recorder's objects build with $2" || diag "$(tail -n 5 log)"
}
imports() { readelf -W -s "$1" | sed -n 's/.* UND *\([_a-z][^@ ]*\).*/\1/p'; }

if [ "$(uname -m)" != x86_64 ]; then
	skip 'control-flow protection (CET) is of x86-64'
elif ! echo 'int main(void) { return 0; }' | $CC -fcf-protection=full -x c -c -o try.o - 2>/dev/null; then
	skip 'the compiler does not know -fcf-protection'
else
	built cet '-O0 -fcf-protection=full -D_FORTIFY_SOURCE=2 -Wp,-D_FORTIFY_SOURCE=2'
	is "$(marks cet/obj/recorder-renamed.o)" 'IBT, SHSTK' 'all are marked'
	is "$(imports cet/obj/recorder-renamed.o | grep _chk)" '' '... and have no checks of the C library'
	num "$(imports cet/obj/recorder-renamed.o | wc -l)" -gt 5 '... though they import something'
	# Not all systems mark what each library begins and ends with.
	if [ "$(marks "$($CC -print-file-name=crti.o)")" = 'IBT, SHSTK' ]; then
		is "$(marks cet/lib/memusage/libmemusage.so)" 'IBT, SHSTK' 'so is the library'
	else
		skip 'crti.o of this C library is not marked: no library can be'
	fi
	# By itself it starts memusage at the end, from a child that shares the program's stack.
	mkdir cet/bin && ln -s "$MU_BUILD/bin/memusage" cet/bin/
	run env LD_PRELOAD="$PWD/cet/lib/memusage/libmemusage.so" "$WORKLOADS/heap" plain
	is "$status" 0 'a program runs with it'
	like "$err" '^ *malloc\| +[1-9]' '... and is recorded'
fi

checked() { imports "$MU_BUILD/bin/$1" | grep -c '_chk$'; }
# shellcheck disable=SC2086  # words are wanted
if [ -n "${SAN:-}" ]; then
	skip 'sanitizers check in place of the C library'
elif ! printf '#ifndef __OPTIMIZE__\n#error\n#endif\n' | $CC ${CFLAGS:--O2} -E - >/dev/null 2>&1; then
	skip 'not optimised: the C library cannot check'
else
	num "$(checked memusage)" -gt 3 'memusage is checked by the C library'
	num "$(checked memusageprint)" -gt 3 'so is memusageprint'
fi
done_testing
