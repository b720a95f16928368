/* CFLAGS: -O0 -fno-inline */
/* massif_stdio.c -- libc's own buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	malloc(640);
	printf("text\n");
	malloc(1280);
	return 0;
}
