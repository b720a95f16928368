/* CFLAGS: -O2 */
/* massif_optimised.c -- code without frame pointers, with calls at the end of functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

void *volatile keep;

static APART void *tail(size_t n)
{
	return malloc(n);
}

static APART int node(int depth)
{
	int sum = 0;

	keep = tail(64 + 16 * depth);
	for (int i = 0; i < 2 && depth > 0; i++)
		sum += node(depth - 1) + i;
	return sum + 1;
}

int main(int argc, char **argv)
{
	return node(5) == 0;
}
