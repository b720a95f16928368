/* CFLAGS: -O0 -fno-inline */
/* massif_clock.c -- a byte clock that outgrows 32 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 2400; i++) {
		void *a = malloc(800000);
		void *b = malloc(160000 + 16 * (i % 3));

		free(b);
		free(a);
	}
	malloc(16);
	return 0;
}
