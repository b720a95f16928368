/* hog.c -- takes MEGABYTES of memory, a block of 1 MiB each 15 ms, and writes to all of it.
 *
 *	hog MEGABYTES [STACKS]
 *
 * Before that it takes 16 bytes by each of STACKS call stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { BLOCK = 1 << 20 };

static void *volatile kept;

__attribute__((noinline)) static void hog(void)
{
	char *block = malloc(BLOCK);

	check(block != NULL, "a block");
	kept = memset(block, 1, BLOCK);
}

/* Each bit of PATH chooses one of two call sites. */
__attribute__((noinline, noclone)) static int descend(unsigned long path, int levels)
{
	int sum = levels;

	if (levels == 0) {
		kept = malloc(16);
		return 0;
	}
	if (path & 1)
		sum += descend(path >> 1, levels - 1);
	else
		sum -= descend(path >> 1, levels - 1);
	return sum;
}

int main(int argc, char **argv)
{
	const unsigned long stacks = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	for (unsigned long i = 0; i < stacks; i++)
		descend(i, 16);
	for (int i = 0; i < atoi(argv[1]); i++) {
		hog();
		usleep(15000);
	}
	return 0;
}
