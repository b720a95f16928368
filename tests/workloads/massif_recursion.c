/* CFLAGS: -O0 -fno-inline */
/* massif_recursion.c -- functions that call themselves and each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void odd(int n);

static void even(int n)
{
	malloc(160);
	if (n > 0)
		odd(n - 1);
}

static void odd(int n)
{
	malloc(96);
	if (n > 0)
		even(n - 1);
}

static void down(int n)
{
	if (n > 0)
		down(n - 1);
	else
		malloc(4000);
}

int main(void)
{
	even(9);
	down(5);
	down(70);
	odd(3);
	return 0;
}
