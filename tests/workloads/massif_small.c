/* CFLAGS: -O0 -fno-inline */
/* massif_small.c -- one large place, some at the threshold, many below.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *one(size_t n) { return malloc(n); }
static void *two(size_t n) { return malloc(n); }
static void *three(size_t n) { return malloc(n); }

int main(void)
{
	malloc(20000);
	one(320);
	two(208);
	malloc(16); malloc(16); malloc(16); malloc(16); malloc(16); malloc(16);
	malloc(32); malloc(32); malloc(32); malloc(32); malloc(32); malloc(32);
	for (int i = 0; i < 10; i++)
		free(three(16));
	return 0;
}
