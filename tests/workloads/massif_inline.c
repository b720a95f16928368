/* CFLAGS: -O2 */
/* massif_inline.c -- calls that the compiler takes in: lines without a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, noclone))

void *volatile keep;

INLINE void level3(size_t n)
{
	keep = malloc(n);
}

INLINE void level2(size_t n)
{
	level3(n);
	level3(n + 16);
}

INLINE void level1(size_t n)
{
	level2(n);
}

APART void apart(size_t n)
{
	level1(n);
	keep = 0;
}

APART void other(size_t n)
{
	level2(n);
	apart(3 * n);
	keep = 0;
}

int main(void)
{
	apart(160);
	other(320);
	level1(640);
	return 0;
}
