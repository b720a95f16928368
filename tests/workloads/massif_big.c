/* CFLAGS: -O0 -fno-inline */
/* massif_big.c -- blocks that are rounded to pages.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 8; i++)
		malloc(12000000 + i);
	malloc(4194240);
	malloc(4194241);
	return 0;
}
