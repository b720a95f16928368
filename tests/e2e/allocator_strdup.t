#!/bin/sh
# allocator_strdup.t -- copies of strings that an allocator's own strdup makes, which calls no malloc,
# are recorded like those of libc's.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

# As mimalloc 3 has them.
cat >allocator.c <<'END'
#include <stddef.h>
#include <string.h>
static char area[8 << 20] __attribute__((aligned(16)));
static size_t used;
static __attribute__((noinline)) void *take(size_t size)
{
	size_t *block = (size_t *)(area + used);

	used += (size + 31) & -16UL;
	if (used > sizeof(area))
		return NULL;
	*block = size;
	return block + 2;
}
static __attribute__((noinline)) char *copy(const char *text, size_t length)
{
	char *to = take(length + 1);

	if (to) {
		memcpy(to, text, length);
		to[length] = '\0';
	}
	return to;
}
__attribute__((noinline)) void *malloc(size_t size) { return take(size); }
__attribute__((noinline)) void free(void *block)
{
	if (block)
		((size_t *)block)[-1] = 0;
}
__attribute__((noinline)) void *calloc(size_t count, size_t size) { return take(count * size); }
__attribute__((noinline)) void *realloc(void *block, size_t size)
{
	void *to = take(size);

	if (block && to)
		memcpy(to, block, ((size_t *)block)[-2] < size ? ((size_t *)block)[-2] : size);
	return to;
}
/* An operator new of its own, so that a leak check clears what it leaves in new blocks. */
void *_Znwm(size_t size) { return take(size); }
void _ZdlPv(void *block) { free(block); }
__attribute__((noinline)) char *strdup(const char *text) { return copy(text, strlen(text)); }
__attribute__((noinline)) char *strndup(const char *text, size_t n) { return copy(text, strnlen(text, n)); }
END
cat >copies.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char text[] = "a text of thirty bytes, or less";
static void make(int count, int keep)
{
	for (int i = 0; i < count; i++) {
		char *volatile whole = strdup(text), *volatile part = strndup(text, 9);

		if (strcmp(whole, text) || strncmp(part, text, 9) || strlen(part) != 9)
			_exit(1);
		if (!keep)
			free(whole);
		free(part);
	}
}
int main(int argc, char **argv)
{
	static char buffer[100];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		if (getchar() == EOF)
			return 2;
	}
	make(100, 0);
	make(10, 1);
	printf("truth malloc calls=220 bytes=4620\ntruth free calls=210\ntruth heap peak=330\n");
	return 0;
}
END
flags='-w -O1 -fno-builtin -D_GNU_SOURCE'
# shellcheck disable=SC2086
compile "${CC:-cc}" $flags -shared -fPIC -o liballocator.so allocator.c &&
	compile "${CC:-cc}" $flags -o linked copies.c ./liballocator.so &&
	compile "${CC:-cc}" $flags -o plain copies.c &&
	compile "${CC:-cc}" $flags -rdynamic -o built_in copies.c allocator.c

profiled "libc's" -- ./plain
profiled "an allocator's" -- ./linked
unlike "$(cat report)" 'unknown' '... whose frees are known'
profiled 'with call stacks' --record=r.mur -- ./linked
ok 'the recording holds the truth' sh -c 'memusageprint --leaks r.mur | grep -q "320 B.*make"'
run memusage -q --holders --record=r.mur ./linked
is "$status $out" "0 $(cat native.out)" 'with what holds memory it does the same'
ok '... and was recorded' sh -c 'memusageprint --leaks r.mur | grep -q "320 B.*make"'
run memusage -q --leak-check=full -o log ./linked
is "$status $out" "0 $(cat native.out)" 'with a leak check it does the same'
like "$(cat log)" '320 bytes in 10 blocks are (definitely|possibly) lost' 'a leak check finds them'
[ "$(uname -m)" = x86_64 ] || {
	skip 'code is changed and accesses are counted on x86-64 only' 1
	done_testing
	exit
}
profiled 'of a program that has its allocator in it' -- ./built_in
unlike "$(cat report)" 'unknown' '... whose frees are known'
run memusage -q --mode=copy --dhat-out-file=copies.dhat ./linked
like "$(cat copies.dhat)" '"tb":3100,"tbk":100' 'copies inside count once'
profiled 'with accesses counted' --accesses=hooks --dhat --dhat-out-file=accesses.dhat -- ./linked
done_testing
