/* CFLAGS: -O0 -fno-inline */
/* massif_peaks.c -- peaks that rise little by little.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 24; i++) {
		malloc(1600);
		free(malloc(32));
	}
	return 0;
}
