/* CFLAGS: -O0 -fno-inline */
/* massif_pairs.c -- a peak first, then pairs of malloc and free far below it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	void *peak = malloc(100000);

	free(peak);
	for (int i = 0; i < 400; i++)
		free(malloc(320));
	return 0;
}
