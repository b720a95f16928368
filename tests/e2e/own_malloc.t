#!/bin/sh
# own_malloc.t -- with --own-malloc=patch the calls of an allocator that the program brings with
# it are all counted, whatever the compiler knows of it, and the program computes the same.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/recorder.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'code is changed on x86-64 only'

built() {
	"$1" "$2" -w -fno-builtin -pthread -D_GNU_SOURCE -o user \
		"$MU_SRC/tests/workloads/ownfamily.c" 2>/dev/null
}

for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		skip "no $compiler"
		continue
	fi
	for level in -O0 -O1 -O2 -O3; do
		built $compiler $level || { skip "$compiler $level"; continue; }
		profiled "$compiler $level" --own-malloc=patch -- ./user
		like "$(cat report)" 'user brings its own malloc' "$compiler $level: said"
		unlike "$(cat report)" 'frees of unknown' "$compiler $level: blocks are known"
	done
done

built gcc -O2 && {
	run memusage -o report --own-malloc=ignore -- ./user
	like "$(cat report)" 'calls the malloc of .*user' 'ignored: said'
	run memusage -o report --top --own-malloc=patch -- ./user
	like "$(cat report)" '(work|main)' 'call stacks lead to the callers'
}

# Real allocators, where their static libraries are installed.
cat >real.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	void *p[1000];
	for (int i = 0; i < 1000; i++)
		p[i] = malloc(i + 1);
	for (int i = 0; i < 1000; i++)
		p[i] = realloc(p[i], 3000);
	for (int i = 0; i < 1000; i++)
		free(p[i]);
	puts("truth malloc calls>=1000 bytes>=500500");
	puts("truth realloc calls=1000");
	puts("truth free calls>=1000");
	return 0;
}
EOF
for lib in jemalloc mimalloc tcmalloc_minimal; do
	file=$(find /usr/lib -name "lib$lib.a" 2>/dev/null | head -n 1)
	if [ -z "$file" ] || ! g++ -fno-builtin -x c++ -w real.c -x none -o real -Wl,--whole-archive "$file" \
		-Wl,--no-whole-archive -pthread -ldl -lm 2>/dev/null; then
		skip "no static $lib"
		continue
	fi
	profiled "$lib" --own-malloc=patch -- ./real
done
done_testing
