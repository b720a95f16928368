/* CFLAGS: -O0 -fno-inline */
/* massif_leave.c -- an end without exit handlers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 30; i++)
		malloc(100 + i);
	_exit(3);
}
