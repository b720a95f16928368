/* dhat_rules.c -- what DHAT counts otherwise than others: reallocs, sizes of 0, equal peaks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void *get(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" ::"r"(block) : "memory");
	return block;
}

NOINLINE static void *change(void *block, size_t size)
{
	block = realloc(block, size);
	__asm__ volatile("" ::"r"(block) : "memory");
	return block;
}

/* Blocks that grow and shrink: one is freed, one stays. */
NOINLINE static void *chain(void)
{
	void *a = get(100), *b = get(24);

	a = change(a, 200);
	b = change(b, 24);
	a = change(a, 50);
	b = change(b, 70000);
	b = change(b, 7);
	b = change(b, 20);
	free(a);
	return b;
}

/* Three equal peaks, of other blocks each time: the last one counts. */
NOINLINE static void peaks(void)
{
	free(get(90000));
	free(calloc(900, 100));
	free(change(NULL, 90000));
}

/* The peak is reached again by a realloc. */
NOINLINE static void *again(void)
{
	void *block = get(80000);

	block = change(block, 90000);
	block = change(block, 10);
	return block;
}

int main(void)
{
	void *empty = get(0), *other = get(0), *kept = chain(), *last;

	peaks();
	last = again();
	free(empty);
	void *aligned = NULL;
	if (posix_memalign(&aligned, 64, 640))
		return 1;
	free(aligned_alloc(128, 256));
	change(get(77), 0);
	printf("left: blocks=4 bytes=%d\n", 1 + 20 + 10 + 640);
	__asm__ volatile("" ::"r"(other), "r"(kept), "r"(last) : "memory");
	return 0;
}
