/* CFLAGS: -O0 -fno-inline */
/* massif_one.c -- a single byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	malloc(1);
	return 0;
}
