/* CFLAGS: -O0 -fno-inline */
/* massif_gaps.c -- more events than snapshots, with gaps that grow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 1; i <= 260; i++)
		malloc(32 * i * (i % 7 + 1));
	return 0;
}
