/* CFLAGS: -O0 -fno-inline */
/* massif_ramp.c -- memory that grows step by step and shrinks again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	void *block[40];

	for (int i = 0; i < 40; i++)
		block[i] = malloc(720);
	for (int i = 39; i > 0; i--)
		free(block[i]);
	return 0;
}
