/* undumpable.c -- loses 1000 bytes, and lets nobody but root read its memory: prctl(PR_SET_DUMPABLE).
 *
 * With an argument it waits for a line of input before it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static void *volatile lost;

int main(int argc, char **argv)
{
	(void)argv;
	lost = memset(malloc(1000), 1, 1000);
	lost = NULL;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 1;
	puts("not dumpable");
	fflush(stdout);
	if (argc > 1)
		getchar();
	return 7;
}
