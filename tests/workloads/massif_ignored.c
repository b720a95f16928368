/* CFLAGS: -O0 -fno-inline */
/* massif_ignored.c -- blocks of functions that are to be ignored, and all ways between ignored and
 * counted by realloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *ignore1(void *block, size_t size)
{
	return block ? realloc(block, size) : malloc(size);
}

static void *ignore2(size_t size)
{
	return calloc(1, size);
}

static void *count1(void *block, size_t size)
{
	return block ? realloc(block, size) : malloc(size);
}

/* Only the direct caller of malloc decides. */
static void *through_ignore3(size_t size)
{
	return count1(NULL, size);
}

static void *ignore3(size_t size)
{
	return through_ignore3(size);
}

int main(void)
{
	void *a = count1(NULL, 400), *b = ignore1(NULL, 800), *c, *d = ignore2(1600);

	c = ignore3(200);
	a = count1(a, 500);
	b = ignore1(b, 900);	/* stays ignored */
	b = ignore1(b, 100);
	a = ignore1(a, 700);	/* counted, ignored from now on; 500 bytes stay in the books */
	a = count1(a, 2000);	/* stays ignored; 2000 bytes enter the tree */
	d = count1(d, 3000);
	d = count1(d, 30);
	c = count1(c, 20);	/* shrinks: keeps its room */
	c = ignore1(c, 120);
	free(a);
	free(b);
	for (int i = 1; i < 30; i++) {
		free(ignore2((size_t)100 * i));
		free(count1(NULL, (size_t)50 * i));
		if (i % 7 == 0)
			a = ignore1(count1(NULL, 300), 20);
		if (i % 9 == 0)
			a = count1(ignore1(NULL, 300), (size_t)i);
	}
	free(c);
	free(d);
	free(a);
	return 0;
}
