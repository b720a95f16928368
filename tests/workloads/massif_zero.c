/* CFLAGS: -O0 -fno-inline */
/* massif_zero.c -- blocks of no bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 12; i++)
		free(malloc(0));
	malloc(0);
	return 0;
}
