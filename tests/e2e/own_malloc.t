#!/bin/sh
# own_malloc.t -- with the calls of an allocator that the program brings with
# it are all counted, whatever the compiler knows of it, and the program computes the same.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/recorder.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'code is changed on x86-64 only'

built() {
	compiled "$1" "$2" -w -fno-builtin -pthread -D_GNU_SOURCE -o user \
		"$MU_SRC/tests/workloads/ownfamily.c"
}

for compiler in gcc clang; do
	is_turn 2 # clang has the other levels
	for level in -O0 -O1 -O2 -O3; do
		is_turn 2 || continue
		built $compiler $level || continue
		profiled "$compiler $level" -- ./user
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

# A malloc that hands on to the next one, with and without a header of its own: nothing counts
# twice, and frees are known.
cat >wrapper.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef HEADER
#define HEADER 0
#endif
static void *(*next_malloc)(size_t), *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static char early[4096] __attribute__((aligned(16)));
static size_t early_used;
static int busy;
__attribute__((noinline)) void *malloc(size_t size)
{
	if (!next_malloc) {
		if (busy) {
			early_used += (size + 15) & -16UL;
			return early + early_used - ((size + 15) & -16UL);
		}
		busy = 1;
		next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
		next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
		next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	}
	char *block = next_malloc(size + HEADER);
	return block ? block + HEADER : NULL;
}
__attribute__((noinline)) void free(void *block)
{
	if (block && ((char *)block < early || (char *)block >= early + sizeof(early)))
		next_free((char *)block - HEADER);
}
__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
	void *block = malloc(count * size);
	return block ? memset(block, 0, count * size) : NULL;
}
__attribute__((noinline)) void *realloc(void *block, size_t size)
{
	if (!block)
		return malloc(size);
	char *result = next_realloc((char *)block - HEADER, size + HEADER);
	return result ? result + HEADER : NULL;
}
int main(void)
{
	char *p[1000];
	for (int i = 0; i < 1000; i++)
		p[i] = malloc(100000 - HEADER);
	for (int i = 0; i < 500; i++)
		p[i] = realloc(p[i], 200000 - HEADER);
	for (int i = 0; i < 1000; i++)
		free(p[i]);
	free(calloc(300, 1000));
	printf("truth heap total>=150000000 total<=150400000 peak>=150000000 peak<=150100000\n");
	return 0;
}
EOF
for header in 0 16; do
	compiled "${CC:-cc}" -O2 -w -fno-builtin -DHEADER=$header -o wrapper wrapper.c -ldl || continue
	profiled "a wrapper, header $header" -v -- ./wrapper
	like "$(cat report)" ' 0 frees of unknown' "a wrapper, header $header: frees are known"
done

# Real allocators, where they are installed: linked into a program in C and in C++, into a
# library that binds its own, and as a library that is linked or preloaded.
cat >work.h <<'EOF'
static void work(void)
{
	void *p[1000];
	for (int i = 0; i < 1000; i++)
		p[i] = malloc(i + 1);
	for (int i = 0; i < 1000; i++)
		p[i] = realloc(p[i], 3000);
	for (int i = 0; i < 1000; i++)
		free(p[i]);
	for (int i = 0; i < 100; i++)
		p[i] = calloc(10, i + 1);
	for (int i = 0; i < 100; i++)
		free(p[i]);
	if (!posix_memalign(p, 64, 5000))
		free(p[0]);
}
EOF
cat >real.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include "work.h"
int main(void)
{
	work();
	puts("truth malloc calls>=1000 bytes>=500500 calls<=1100");
	puts("truth realloc calls>=1000 calls<=1010");
	puts("truth calloc calls>=100 calls<=120");
	puts("truth memalign calls>=1 bytes>=5000 calls<=20");
	puts("truth free calls>=1101 calls<=1200");
	return 0;
}
EOF
cat >real.cc <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
int main()
{
	std::vector<std::string *> all;
	for (int i = 0; i < 1000; i++)
		all.push_back(new std::string(500, 'x'));
	for (auto *s : all)
		delete s;
	struct alignas(64) line { char c[64]; };
	delete new line;
	std::puts("truth malloc calls>=2001 bytes>=532000 calls<=2200");
	std::puts("truth free calls>=2001 calls<=2200");
	return 0;
}
EOF
cat >lib.c <<'EOF'
#include <stdlib.h>
#include "work.h"
void library_work(void) { work(); }
EOF
cat >opens.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *l = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		void (*f)(void) = l ? (void (*)(void))dlsym(l, "library_work") : NULL;
		if (!f)
			return puts(dlerror()), 1;
		f();
		if (argc > 2)
			dlclose(l);
	}
	puts("truth malloc calls>=3000 bytes>=1501500 calls<=3300");
	puts("truth realloc calls>=3000 calls<=3010");
	puts("truth free calls>=3303 calls<=3600");
	return 0;
}
EOF
compile "${CC:-cc}" -w -o opens opens.c -ldl

# archive NAME: the static library, or the object file that mimalloc has instead
archive() {
	find /usr/lib /usr/local/lib \( -name "lib$1.a" -o -name "lib$1_pic.a" -o -name "$1.o" \) \
		2>/dev/null | sort -r | head -n 1
}

shared() {
	find /usr/lib /usr/local/lib -name "lib$1.so" 2>/dev/null | head -n 1
}

for lib in jemalloc mimalloc tcmalloc_minimal; do
	file=$(archive $lib)
	all="-Wl,--whole-archive $file -Wl,--no-whole-archive -pthread -ldl -lm"
	if [ -z "$file" ] || ! has_library libstdc++.so; then
		skip "no static $lib, or no library for C++"
	else
		for compiler in gcc clang; do
			is_turn 2 # clang has the other level
			for level in -O0 -O2; do
				is_turn 2 || continue
				# shellcheck disable=SC2086
				compiled $compiler $level -w -fno-builtin -o real real.c $all -lstdc++ ||
					continue
				profiled "$lib in a program, $compiler $level" ./real
			done
		done
		# shellcheck disable=SC2086
		if compiled g++ -std=c++17 -O1 -w -fno-builtin -o realcc real.cc $all; then
			profiled "$lib in a program in C++" ./realcc
		fi
		# shellcheck disable=SC2086
		if gcc -shared -fPIC -O1 -w -fno-builtin -Wl,-Bsymbolic -o "lib$lib.t.so" lib.c $all \
			-lstdc++ 2>cc.log; then
			GLIBC_TUNABLES=${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.rtld.optional_static_tls=32768 \
				profiled "$lib in a library that is opened" ./opens "$PWD/lib$lib.t.so"
			is "$native_status" 0 "$lib in a library that is opened: it ran to its end"
		elif grep -q -e 'recompile with -fPIC' -e 'local-exec is incompatible with -shared' cc.log; then
			skip "$lib is not made to be linked into a library"
		else
			fail "$lib is linked into a library"
			sed 's/^/# /' cc.log
		fi
	fi
	file=$(shared $lib)
	if [ -z "$file" ]; then
		skip "no shared $lib"
		continue
	fi
	compiled gcc -O1 -w -fno-builtin -o real real.c "$file" && profiled "shared $lib, linked" ./real
	compiled gcc -O1 -w -fno-builtin -o real real.c &&
		LD_PRELOAD=$file profiled "shared $lib, preloaded" ./real
done

# A library that comes and goes, many times over.
cat >often.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 700; i++) {
		void *l = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		((void (*)(void))dlsym(l, "own_work_one"))();
		dlclose(l);
	}
	puts("truth 992-1007 count=700");
	puts("truth free calls>=700");
	return 0;
}
EOF
cat >one.c <<'EOF'
#include <stddef.h>
static char pool[4096] __attribute__((aligned(16)));
static size_t used;
__attribute__((noinline)) void *malloc(size_t size)
{
	used += (size + 15) & -16UL;
	return used > sizeof(pool) ? NULL : pool + used - ((size + 15) & -16UL);
}
__attribute__((noinline)) void free(void *block)
{
	if (block)
		*(char *)block = 0;
}
void own_work_one(void) { free(malloc(1003)); }
EOF
compiled gcc -w -o often often.c -ldl && compiled gcc -w -O2 -fno-builtin -shared -fPIC \
	-Wl,-Bsymbolic -o libone.so one.c && profiled 'opened 700 times' ./often "$PWD/libone.so"
done_testing
