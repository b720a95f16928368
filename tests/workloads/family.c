/* family.c -- every function of the malloc family, counted by hand.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

/* C23, not in every libc: the recorder has them always. */
extern void free_sized(void *, size_t) __attribute__((weak));
extern void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));

static void is_aligned(const void *block, size_t align)
{
	check(block && (uintptr_t)block % align == 0, "alignment");
}

static void plain(void)
{
	char *a = malloc(100), *b = calloc(10, 20), *c = realloc(NULL, 300);

	memset(a, 'a', 100);
	for (int i = 0; i < 200; i++)
		check(b[i] == 0, "calloc is zeroed");
	a = realloc(a, 1000);
	check(a[99] == 'a', "realloc kept the bytes");
	a = realloc(a, 500);
	b = realloc(b, 200);
	check(!realloc(c, 0), "realloc to 0 frees");
	free(a);
	free(b);
	free(NULL);
	free(malloc(0));
	say("truth malloc calls=2 bytes=100 failed=0");
	say("truth calloc calls=1 bytes=200 failed=0");
	say("truth realloc calls=5 bytes=1200 failed=0");
	say("truth realloc-dec count=1");
	say("truth realloc-free count=1");
	say("truth free calls=4 bytes=1000");
	say("truth heap total=1500 peak=1500");
	say("truth 0-15 count=1");
	say("truth 192-207 count=2");
	say("truth 992-1007 count=1");
}

static void aligned(void)
{
	void *p[7];

	p[0] = memalign(64, 100);
	p[1] = aligned_alloc(128, 256);
	check(!posix_memalign(&p[2], 4096, 10), "posix_memalign");
	p[3] = valloc(5000);
	p[4] = pvalloc(5000);
	p[5] = memalign(2 << 20, 1);
	is_aligned(p[0], 64);
	is_aligned(p[1], 128);
	is_aligned(p[2], 4096);
	is_aligned(p[3], 4096);
	is_aligned(p[4], 4096);
	is_aligned(p[5], 2 << 20);
	memset(p[4], 1, 8192);
	p[0] = realloc(p[0], 200);
	for (int i = 0; i < 6; i++)
		free(p[i]);
	say("truth memalign calls=6 bytes=10367 failed=0");
	say("truth realloc calls=1 bytes=100");
	say("truth free calls=6 bytes=10467");
	say("truth heap total=10467 peak=10467");
}

static void array(void)
{
	int *p = reallocarray(NULL, 10, sizeof(int));

	p = reallocarray(p, 30, sizeof(int));
	errno = 0;
	check(!reallocarray(p, SIZE_MAX / 2, 4) && errno == ENOMEM, "overflow");
	free(p);
	say("truth realloc calls=3 bytes=120 failed=1");
	say("truth free calls=1 bytes=120");
	say("truth heap total=120 peak=120");
}

/* Without the recorder libc may have none: then plain frees show the same. */
static void sized(void)
{
	void *a = malloc(33), *b = aligned_alloc(64, 128);

	if (free_sized)
		free_sized(a, 33);
	else
		free(a);
	if (free_aligned_sized)
		free_aligned_sized(b, 64, 128);
	else
		free(b);
	if (free_sized)
		free_sized(NULL, 0);
	else
		free(NULL);
	say("truth malloc calls=1 bytes=33");
	say("truth memalign calls=1 bytes=128");
	say("truth free calls=3 bytes=161");
}

/* Every byte that malloc_usable_size promises is ours to write. */
static void usable(void)
{
	enum { SIZES = 300 };
	void *p[SIZES];
	size_t sum = 0;

	for (size_t i = 0; i < SIZES; i++) {
		p[i] = malloc(i * i);
		check(malloc_usable_size(p[i]) >= i * i, "usable size");
		check(malloc_usable_size(p[i]) < i * i + 8192, "a sane usable size");
		memset(p[i], 0xff, malloc_usable_size(p[i]));
		sum += i * i;
	}
	for (size_t i = 0; i < SIZES; i++)
		free(p[i]);
	say("truth malloc calls=%d bytes=%zu", SIZES, sum);
	say("truth free calls=%d bytes=%zu", SIZES, sum);
}

/* Requests that cannot be met: NULL, ENOMEM, and the old block as it was. */
static void failing(void)
{
	char *old = malloc(10);
	void *p = old;

	strcpy(old, "still me");
	errno = 0;
	check(!malloc(SIZE_MAX) && errno == ENOMEM, "malloc(SIZE_MAX)");
	check(!malloc(SIZE_MAX - 8), "malloc(SIZE_MAX - 8)");
	check(!malloc(PTRDIFF_MAX), "malloc(PTRDIFF_MAX)");
	errno = 0;
	check(!calloc((size_t)1 << 63, 2) && errno == ENOMEM, "calloc(1 << 63, 2)");
	check(!calloc(((size_t)1 << 62) + 1, 4), "calloc((1 << 62) + 1, 4)");
	check(!calloc(1, SIZE_MAX), "calloc(1, SIZE_MAX)");
	check(!realloc(NULL, SIZE_MAX), "realloc(NULL, SIZE_MAX)");
	errno = 0;
	check(!realloc(old, SIZE_MAX) && errno == ENOMEM, "realloc(p, SIZE_MAX)");
	check(!strcmp(old, "still me"), "the old block is whole");
	check(!memalign(64, SIZE_MAX), "memalign");
	errno = 77;
	check(posix_memalign(&p, 64, SIZE_MAX) == ENOMEM && p == old, "posix_memalign");
	check(posix_memalign(&p, 3, 10) == EINVAL && p == old, "posix_memalign of 3");
	check(!aligned_alloc(64, SIZE_MAX - 63), "aligned_alloc");
	free(old);
	say("truth malloc calls=4 failed=3");
	say("truth calloc calls=3 failed=3");
	say("truth realloc calls=2 failed=2");
	say("truth memalign calls=4 failed=4");
	say("truth free calls=1 bytes=10");
	say("truth heap peak=10");
}

/* A call that succeeds leaves errno alone; free always does. */
static void keeps_errno(void)
{
	enum { MARK = 4711 };
	void *p[200];

	check(errno == 0, "errno is 0 when main begins");
	errno = MARK;
	for (int i = 0; i < 200; i++)
		p[i] = i % 3 ? malloc((size_t)i * 1000) : calloc(1, (size_t)i + 1);
	for (int i = 0; i < 200; i += 2)
		p[i] = realloc(p[i], (size_t)i + 5000);
	for (int i = 0; i < 200; i++)
		free(p[i]);
	free(memalign(256, 3 << 20));
	check(errno == MARK, "errno is kept");
	say("truth malloc calls=133");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} part[] = {
		{ "plain", plain },   { "aligned", aligned }, { "array", array },
		{ "sized", sized },   { "usable", usable },   { "failing", failing },
		{ "errno", keeps_errno },
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (argc > 1 && !strcmp(argv[1], part[i].name))
			part[i].run();
	return argc > 2 ? atoi(argv[2]) : 0;
}
