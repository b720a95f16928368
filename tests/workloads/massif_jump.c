/* CFLAGS: -O0 -fno-inline */
/* massif_jump.c -- frames that longjmp leaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

static void deeper(int n)
{
	malloc(160);
	if (n == 0)
		longjmp(back, 1);
	deeper(n - 1);
}

int main(void)
{
	for (volatile int i = 0; i < 6; i++) {
		if (setjmp(back) == 0)
			deeper(i);
		malloc(96);
	}
	return 0;
}
