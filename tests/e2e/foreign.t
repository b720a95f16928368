#!/bin/sh
# foreign.t -- programs that cannot be recorded, which a recorded program starts, run as they do alone:
# those of another C library and those of 32 bits. Nor does their loader say a word.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin heap memusageprint

# It has no library at all, but a loader.
cat >small.c <<'END'
#ifdef __i386__
#define CALL(number, a, b, c) \
	__asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory")
enum { EXIT = 1, WRITE = 4 };
#else
#define CALL(number, a, b, c) \
	__asm__ volatile("syscall" : "=a"(result) : "0"((long)(number)), "D"((long)(a)), "S"(b), \
			 "d"((long)(c)) : "rcx", "r11", "memory")
enum { EXIT = 60, WRITE = 1 };
#endif
void _start(void)
{
	static const char text[] = "no library\n";
	long result;

	CALL(WRITE, 1, text, sizeof(text) - 1);
	CALL(EXIT, 5, text, 0);
}
END
cat >musl.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *text = strdup("another library");

	puts(text);
	free(text);
	return argc > 1 ? system(argv[1]) >> 8 : 5;
}
END

# runs NAME COMMAND...: by a shell that is recorded, as alone
runs() {
	what=$1
	shift
	run sh -c '"$@"; echo $?' sh "$@"
	alone=$out alone_err=$err
	like "$alone" '^[a-z]+ library$' "$what: it runs alone"
	for options in '' --record=run.mur '--massif --massif-out-file=run.massif'; do
		# shellcheck disable=SC2086
		run memusage -q -o report $options sh -c '"$@"; echo $?' sh "$@"
		is "$status" 0 "$what, ${options:-without options}: the shell ends"
		is "$out" "$alone" '... and the program has run'
		is "$err" "$alone_err" '... and its loader says nothing'
		case $options in --record*)
			run memusageprint --top run.mur
			is "$status" 0 '... and the shell was recorded'
			;;
		esac
		# shellcheck disable=SC2086
		memusage -q -o report $options "$@" >out 2>/dev/null
		echo $? >>out
		is "$(cat out)" "$alone" '... also if it is started at once'
	done
}

if [ "$(uname -m)" = x86_64 ] && gcc -m32 -nostdlib -nostartfiles -ffreestanding -fpie -pie \
	-Wl,--dynamic-linker=/lib/ld-linux.so.2 -o small32 small.c 2>/dev/null &&
	[ -e /lib/ld-linux.so.2 ]; then
	runs '32 bits' ./small32
else
	skip 'a program of 32 bits' 'no gcc -m32 or no /lib/ld-linux.so.2 (libc6-i386)'
fi

if command -v musl-gcc >/dev/null && musl-gcc -o musl musl.c 2>/dev/null; then
	runs musl ./musl
	memusage -q --record=child.mur ./musl 'heap 10 >/dev/null' >out 2>err
	run memusageprint --processes child.mur
	like "$out" 'heap' 'what a program with musl starts is recorded'
else
	skip 'a program with musl' 'no musl-gcc (musl-tools)'
fi

# ---- a program in Valgrind, which has a malloc of its own

if command -v valgrind >/dev/null && valgrind -q true 2>/dev/null; then
	# Valgrind itself is recorded up to its exec of the tool, which is static. A newer one complains
	# of the program.
	complaints() { printf '%s\n' "$err" | sed 's/^==[0-9]*==/==/; s/0x[0-9A-F]*/0x/g'; }
	run valgrind -q --error-exitcode=9 heap one
	native=$out ended=$status alone=$(complaints)
	run memusage -q valgrind -q --error-exitcode=9 heap one
	is "$status" "$ended" 'a program in Valgrind ends as alone'
	is "$out" "$native" '... with the same output'
	is "$(complaints)" "$alone" '... and Valgrind has nothing to say of the recorder'
else
	skip 'no valgrind' 3
fi

# ---- a program that its loader is told to run

loader=$(sed -n 's/.* \(\/.*\/ld-linux[^ ]*\|\/.*\/ld-[0-9.]*so\)$/\1/p' /proc/self/maps | head -1)
run memusage --record=loaded.mur "$loader" "$WORKLOADS/heap" one
is "$status" 0 'a program that the loader is told to run'
run memusageprint --top loaded.mur
like "$out" '\(heap.c:[0-9]+\)' '... its places are named'

# A directory that LD_PRELOAD cannot name
dir="$PWD/a b:\$PLATFORM"
mkdir "$dir"
cp -a "$MU_BUILD/bin" "$MU_BUILD/lib" "$dir"
run "$dir/bin/memusage" --record=blank.mur heap
is "$status" 0 'a directory with blanks, colons and $'
run memusageprint --top blank.mur
is "$status" 0 '... there is a recording'
is "$(find "${TMPDIR:-/tmp}" -maxdepth 2 -name recorder -user "$(id -un)" 2>/dev/null)" '' \
	'... and no link stays behind'

done_testing
