/* memory.c -- blocks that are touched, blocks that are not, and blocks that were freed.
 *
 *	memory TOUCHED UNTOUCHED FREED	MiB each; and 4 MiB at the end that are touched
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, LATE = 4 };

static void *keep[1 << 16];

int main(int argc, char **argv)
{
	size_t touched = argc > 1 ? strtoul(argv[1], NULL, 0) * 16 : 16;
	size_t untouched = argc > 2 ? strtoul(argv[2], NULL, 0) * 16 : 16;
	size_t freed = argc > 3 ? strtoul(argv[3], NULL, 0) * 16 : 16;
	size_t n = 0;
	void **hole;

	/* Freed room in the middle of the heap stays with malloc. */
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	hole = malloc(freed * sizeof(*hole));
	for (size_t i = 0; i < freed; i++)
		hole[i] = memset(malloc(BLOCK), 1, BLOCK);
	for (size_t i = 0; i < touched; i++)
		keep[n++] = memset(malloc(BLOCK), 1, BLOCK);
	for (size_t i = 0; i < freed; i++)
		free(hole[i]);
	free(hole);
	mallopt(M_MMAP_THRESHOLD, BLOCK / 2);
	for (size_t i = 0; i < untouched / 16; i++)
		keep[n++] = malloc(16 * BLOCK);
	/* Now is when most is resident. */
	for (size_t i = 0; i < LATE; i++)
		keep[n++] = memset(malloc(16 * BLOCK), 1, 16 * BLOCK);
	usleep(150000);
	printf("heap %zu\n", (touched + untouched + 16 * LATE) * BLOCK);
	return keep[0] == NULL;
}
