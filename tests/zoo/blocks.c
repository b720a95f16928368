/* blocks.c -- species that allocate: work, family, libc, pool.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "include/memusage.h"

enum { SLOTS = 6 };

struct slot {
	unsigned char *at;
	size_t size;
	unsigned char fill;
};

/* ---- work: blocks of all sizes, whose contents and alignment are looked at ---- */

static bool holds(const struct slot *b, size_t size)
{
	for (size_t i = 0; i < size; i = i < 64 || i + 65 > size ? i + 1 : i + 61)
		if (b->at[i] != b->fill)
			return false;
	return true;
}

static void fill(const struct step *s, struct slot *b, size_t align)
{
	must(s, ((uintptr_t)b->at & (align - 1)) == 0, "alignment");
	must(s, malloc_usable_size(b->at) >= b->size, "usable size");
	memset(b->at, b->fill, b->size);
}

static __attribute__((noinline)) void obtain(const struct step *s, struct draw *d, struct slot *b,
					     size_t most)
{
	size_t align = 16;

	b->size = draw_size(d, most);
	b->fill = (unsigned char)draw(d);
	switch (draw_below(d, 8)) {
	case 0:
		b->at = calloc(b->size / 8 + 1, 8);
		b->fill = 0;
		must(s, !b->at || holds(b, b->size), "calloc gives zeros");
		break;
	case 1:
		align = (size_t)16 << draw_below(d, 9);
		b->at = draw_below(d, 2) ? memalign(align, b->size) : aligned_alloc(align, b->size);
		break;
	case 2:
		align = (size_t)8 << draw_below(d, 6);
		if (posix_memalign((void **)&b->at, align, b->size))
			b->at = NULL;
		break;
	default:
		b->at = malloc(b->size);
	}
	note(s, !b->at);
	if (b->at)
		fill(s, b, align);
}

static __attribute__((noinline)) void resize(const struct step *s, struct draw *d, struct slot *b,
					     size_t most)
{
	size_t size = draw_size(d, most) + 1;
	void *moved = draw_below(d, 4) ? realloc(b->at, size) : reallocarray(b->at, size, 1);

	note(s, !moved);
	if (!moved)
		return;
	b->at = moved;
	must(s, holds(b, size < b->size ? size : b->size), "realloc keeps contents");
	b->size = size;
	fill(s, b, 16);
}

static __attribute__((noinline)) void give_back(const struct step *s, struct slot *b)
{
	must(s, holds(b, b->size), "contents stay");
	errno = 77;
	free(b->at);
	must(s, errno == 77, "free keeps errno");
	b->at = NULL;
}

void use_blocks(const struct step *s, struct draw *d, unsigned int count, size_t most)
{
	struct slot block[SLOTS] = { { NULL } };

	for (unsigned int i = 0; i < count; i++) {
		struct slot *b = &block[draw_below(d, SLOTS)];

		if (!b->at)
			obtain(s, d, b, most);
		else if (draw_below(d, 3))
			resize(s, d, b, most);
		else
			give_back(s, b);
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		if (block[i].at)
			give_back(s, &block[i]);
}

void do_work(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	unsigned int count = 3 + draw_below(&d, 20);

	use_blocks(s, &d, count, draw_below(&d, 12) || r->stack < 4096 ? 5000 : 3 << 20);
}

/* ---- family: every function, also with sizes that cannot be had ---- */

static void outcome(const struct step *s, const void *at, bool in_block)
{
	int error = errno;

	note(s, (uint64_t)!at << 32 | (uint64_t)(at || in_block ? 0 : error));
}

/* Overflows and bounds: glibc's answers, whatever they are. */
static void refused(const struct step *s, struct draw *d)
{
	static const size_t huge[] = { SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 4096, PTRDIFF_MAX,
				       (size_t)PTRDIFF_MAX + 1, (size_t)1 << 62 };
	size_t size = huge[draw_below(d, 6)];
	void *old = malloc(24), *at = NULL;

	errno = 0;
	outcome(s, malloc(size), false);
	errno = 0;
	outcome(s, calloc(size, 1 + draw_below(d, 9)), false);
	errno = 0;
	outcome(s, calloc((size_t)1 << 33, (size_t)1 << 33), false);
	memset(old, 5, 24);
	errno = 0;
	outcome(s, realloc(old, size), false);
	errno = 0;
	outcome(s, reallocarray(old, size, 3), false);
	must(s, ((char *)old)[23] == 5, "a realloc that fails changes nothing");
	errno = 0;
	outcome(s, memalign(64, size), false);
	errno = 0;
	outcome(s, pvalloc(size), false);
	errno = 0;
	outcome(s, valloc(size), false);
	errno = 0;
	note(s, (uint64_t)posix_memalign(&at, 64, size));
	note(s, (uint64_t)posix_memalign(&at, 24, 8));
	note(s, (uint64_t)errno);
	errno = 0;
	outcome(s, memalign((size_t)1 << 63, 8), false);
	errno = 0;
	outcome(s, memalign(SIZE_MAX, 8), false);
	free(old);
}

static void odd(const struct step *s, struct draw *d)
{
	void *none = malloc(0), *at = memalign(1 + draw_below(d, 5000), draw_below(d, 300));
	void *page = valloc(1 + draw_below(d, 9000)), *pages = pvalloc(1 + draw_below(d, 9000));

	must(s, none && at, "blocks of no bytes and of odd alignment");
	must(s, ((uintptr_t)page & 4095) == 0 && ((uintptr_t)pages & 4095) == 0, "whole pages");
	note(s, malloc_usable_size(pages) >= 4096);
	note(s, malloc_usable_size(NULL));
	free(none);
	free(NULL);
	free(at);
	errno = 0;
	none = realloc(malloc(100), 0);
	outcome(s, none, false);
	none = realloc(NULL, 0);
	note(s, !none);
	none = reallocarray(none, 0, 5);
	note(s, !none);
	free(page);
	free(pages);
}

/* malloc, calloc, realloc by addresses that a library would keep. */
static void by_address(const struct step *s)
{
	void *(*volatile allocate)(size_t) = malloc;
	void (*volatile release)(void *) = free;
	char *copy = strdup("by address");

	release(copy);
	copy = allocate(33);
	must(s, copy != NULL, "malloc by its address");
	release(copy);
}

void do_family(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);

	(void)r;
	switch (draw_below(&d, 3)) {
	case 0:
		refused(s, &d);
		break;
	case 1:
		odd(s, &d);
		break;
	default:
		by_address(s);
		malloc_trim(0);
	}
}

/* ---- libc: its functions that allocate ---- */

static void streams(const struct step *s, struct draw *d)
{
	char *text = NULL, *line = NULL;
	size_t size = 0, room = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	for (unsigned int i = 0, n = draw_below(d, 200); i < n; i++)
		fprintf(f, "%u\n", i * i);
	fclose(f);
	note(s, size);
	if (size && (f = fmemopen(text, size, "r"))) {
		unsigned int lines = 0;

		while (getline(&line, &room, f) > 0)
			lines++;
		note(s, lines);
		fclose(f);
	}
	free(line);
	free(text);
}

static int compare(const void *a, const void *b)
{
	return (*(const unsigned int *)a > *(const unsigned int *)b) -
	       (*(const unsigned int *)a < *(const unsigned int *)b);
}

static void texts(const struct step *s, struct draw *d)
{
	char *made = NULL;
	unsigned int count = 300 + draw_below(d, 3000), sum = 0;
	unsigned int *numbers = malloc(count * sizeof(*numbers));

	note(s, (uint64_t)asprintf(&made, "%0*d", (int)draw_below(d, 2000), 7));
	free(made);
	if (!numbers)
		return;
	for (unsigned int i = 0; i < count; i++)
		numbers[i] = (unsigned int)draw(d);
	qsort(numbers, count, sizeof(*numbers), compare);
	for (unsigned int i = 0; i < count; i++)
		sum = sum * 31 + numbers[i];
	note(s, sum);
	free(numbers);
}

void do_libc(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);

	(void)r;
	if (draw_below(&d, 2))
		streams(s, &d);
	else
		texts(s, &d);
}

/* ---- pool: an allocator of the program's own, which may tell of its blocks ---- */

/* Whether the vector registers are the same after a request of Valgrind's kind. */
static bool keeps_vectors(void *at, size_t size)
{
#if defined(__x86_64__)
	uint64_t want[2] = { 0x0123456789abcdef, 0xfedcba9876543210 }, got[16][2];
	uint64_t request[6] = { 0x1301, (uintptr_t)at, size, 0, 0, 0 }, answer;

#define SET(n) "movups (%[want]), %%xmm" #n "\n\t"
#define GET(n) "movups %%xmm" #n ", 16*" #n "(%[got])\n\t"
#define ALL(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
	register uint64_t result __asm__("rdx") = 0;

	__asm__ volatile(ALL(SET) "rolq $3, %%rdi; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx\n\t" ALL(GET)
			 : "+r"(result)
			 : "a"(request), [want] "r"(want), [got] "r"(got)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
			   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15");
	/* Calls change the register. */
	answer = result;
	for (int i = 0; i < 16; i++)
		if (memcmp(got[i], want, sizeof(want)))
			return false;
	return answer == 0;
#else
	(void)at, (void)size;
	return true;
#endif
}

static void tell(const struct step *s, struct draw *d, char *at, size_t size, bool begins)
{
	switch (draw_below(d, 3)) {
	case 0:
		if (begins)
			MEMUSAGE_MALLOCLIKE_BLOCK(at, size);
		else
			MEMUSAGE_FREELIKE_BLOCK(at);
		break;
	case 1:
		if (begins)
			must(s, keeps_vectors(at, size), "a request keeps the registers");
		break;
	default:
		break;
	}
}

void do_pool(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	size_t size = (1 + draw_below(&d, 16)) * 4096, used = 0;
	bool is_mapped = draw_below(&d, 2);
	char *pool = is_mapped ? mmap(NULL, size, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(size);

	(void)r;
	if (!pool || pool == MAP_FAILED)
		return;
	while (used < size) {
		size_t part = 16 + draw_size(&d, 2000);

		if (part > size - used)
			part = size - used;
		tell(s, &d, pool + used, part, true);
		memset(pool + used, (int)used, part);
		if (draw_below(&d, 2))
			tell(s, &d, pool + used, part, false);
		used += part;
	}
	if (is_mapped)
		munmap(pool, size);
	else
		free(pool);
	note(s, used);
}
