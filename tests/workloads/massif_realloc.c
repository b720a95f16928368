/* CFLAGS: -O0 -fno-inline */
/* massif_realloc.c -- blocks that grow, shrink, stay, move and go by realloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *grow(void *block, size_t size)
{
	return realloc(block, size);
}

int main(void)
{
	char *a = realloc(NULL, 100);
	char *b = malloc(999);

	a = realloc(a, 100);
	a = realloc(a, 40);
	a = grow(a, 60);
	a = grow(a, 2000);
	b = grow(b, 1000);
	b = realloc(b, 1001);
	b = realloc(b, 10);
	b = realloc(b, 9);
	free(b);
	realloc(a, 0);
	for (int i = 1; i < 20; i++)
		grow(malloc(i), 3 * i);
	return 0;
}
