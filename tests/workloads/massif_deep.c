/* CFLAGS: -O0 -fno-inline */
/* massif_deep.c -- a chain of a dozen functions, called ten times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#define STEP(n, m) static void *f##n(size_t size) { return f##m(size); }
static void *f12(size_t size) { return malloc(size); }
STEP(11, 12)
STEP(10, 11)
STEP(9, 10)
STEP(8, 9)
STEP(7, 8)
STEP(6, 7)
STEP(5, 6)
STEP(4, 5)
STEP(3, 4)
STEP(2, 3)
STEP(1, 2)

int main(void)
{
	for (int i = 0; i < 10; i++)
		f1(400);
	return 0;
}
