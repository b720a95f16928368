/* CFLAGS: -O0 -fno-inline */
/* massif_cull.c -- more events than snapshots, evenly spaced.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 310; i++)
		malloc(48);
	return 0;
}
