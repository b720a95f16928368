/* maps.c -- mappings of every kind, counted by hand, for -m: `maps HOW`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/lib/workload.h"

enum { PAGE = 4096 };

static int file;

static char *map(size_t length, int prot, int flags)
{
	char *p = mmap(NULL, length, prot, flags, flags & MAP_ANONYMOUS ? -1 : file, 0);

	check(p != MAP_FAILED, "mmap");
	return p;
}

/* r: a file, not writable; w: a file, writable; a: anonymous. Only w is heap. */
static void kinds(void)
{
	char *r1 = map(PAGE, PROT_READ, MAP_PRIVATE);
	char *r2 = map(2 * PAGE, PROT_NONE, MAP_SHARED);
	char *w1 = map(3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	char *w2 = map(5000, PROT_WRITE, MAP_PRIVATE);
	char *a = map(10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);

	munmap(a, 10 * PAGE);
	munmap(r1, PAGE);
	munmap(r2, 2 * PAGE);
	munmap(w1, 3 * PAGE);
	munmap(w2, 5000);
	say("truth mmap(r) calls=2 bytes=%d failed=0", 3 * PAGE);
	say("truth mmap(w) calls=2 bytes=%d failed=0", 3 * PAGE + 5000);
	say("truth mmap(a) calls=1 bytes=%d failed=0", 10 * PAGE);
	say("truth munmap calls=5 bytes=%d failed=0", 16 * PAGE + 5000);
	say("truth heap total=%d peak=%d", 16 * PAGE + 5000, 3 * PAGE + 5000);
}

static void failing(void)
{
	char *w = map(PAGE, PROT_WRITE, MAP_SHARED);

	errno = 0;
	check(mmap(NULL, 0, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED && errno == EINVAL,
	      "length 0");
	check(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, -1, 0) == MAP_FAILED && errno == EBADF,
	      "no file");
	check(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED, "no file");
	check(mmap(NULL, SIZE_MAX / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	      MAP_FAILED && errno == ENOMEM, "too much");
	check(munmap(w + 1, PAGE) == -1 && errno == EINVAL, "munmap");
	check(mremap(w, PAGE, SIZE_MAX / 2, MREMAP_MAYMOVE) == MAP_FAILED, "mremap");
	munmap(w, PAGE);
	say("truth mmap(w) calls=3 bytes=%d failed=2", PAGE);
	say("truth mmap(r) calls=1 bytes=0 failed=1");
	say("truth mmap(a) calls=1 bytes=0 failed=1");
	say("truth mremap calls=1 bytes=0 failed=1");
	say("truth munmap calls=2 bytes=%d failed=1", PAGE);
	say("truth heap total=%d peak=%d", PAGE, PAGE);
}

static void moving(void)
{
	char *w = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	char *a = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
	char *there = map(16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);

	w[0] = 'w';
	w = mremap(w, 4 * PAGE, 2 * PAGE, 0);
	w = mremap(w, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there);
	check(w == there && w[0] == 'w', "moved");
	w = mremap(w, 2 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there + 8 * PAGE);
	a = mremap(a, 4 * PAGE, PAGE, 0);
	munmap(w, 6 * PAGE);
	munmap(a, PAGE);
	say("truth mremap calls=4 bytes=%d failed=0", 4 * PAGE);
	say("truth mremap-nomove count=2");
	say("truth mremap-dec count=2");
	say("truth heap peak=%d", 6 * PAGE);
}

/* Holes in the middle, two at once, replaced by MAP_FIXED, unmapped twice. */
static void parts(void)
{
	char *w = map(10 * PAGE, PROT_WRITE, MAP_SHARED);

	munmap(w + 2 * PAGE, PAGE);
	munmap(w + 5 * PAGE, PAGE);
	munmap(w + 5 * PAGE, PAGE);
	check(mmap(w, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == w,
	      "MAP_FIXED");
	char *again = map(3 * PAGE, PROT_WRITE, MAP_SHARED);
	munmap(again, 3 * PAGE);
	munmap(w, 10 * PAGE);
	/* Now nothing is left of them: these are the peak. */
	char *last = map(10 * PAGE, PROT_WRITE, MAP_SHARED);
	free(malloc(100));
	munmap(last, 10 * PAGE);
	say("truth heap peak=%d", 10 * PAGE + 100);
	say("truth munmap calls=6 bytes=%d", 26 * PAGE);
}

/* What was never counted as heap is never taken from it. */
static void never_negative(void)
{
	char *a = map(100 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
	void *p = malloc(1000);

	munmap(a, 100 * PAGE);
	munmap((void *)0x10000000, 100 * PAGE);
	free(p);
	say("truth heap total=%d peak=1000", 100 * PAGE + 1000);
	say("truth munmap calls=2 failed=0");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} way[] = {
		{ "kinds", kinds }, { "failing", failing },	   { "moving", moving },
		{ "parts", parts }, { "negative", never_negative },
	};

	file = open("mapped", O_RDWR | O_CREAT, 0600);
	check(file >= 0 && !ftruncate(file, 100 * PAGE), "the file");
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run();
	free(malloc(0));
	return 0;
}
