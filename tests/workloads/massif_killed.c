/* CFLAGS: -O0 -fno-inline */
/* massif_killed.c -- an end by a signal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 30; i++)
		malloc(100);
	raise(SIGTERM);
	return 0;
}
