/* malloc_pairs.c -- Pairs of malloc and free.
 *
 *	malloc_pairs PAIRS [LIVE]
 *
 * With LIVE, each pair replaces one of so many live blocks, at random.
 *
 * SPDX-License-Identifier: 0BSD
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long live = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	void **block = calloc(live, sizeof(*block));
	unsigned int random = 1;

	for (unsigned long i = 0; i < live; i++)
		block[i] = malloc(24);
	for (unsigned long i = 0; i < pairs; i++) {
		unsigned long k;

		random = random * 1664525 + 1013904223;
		k = (random >> 8) % live;
		free(block[k]);
		block[k] = malloc(16 + (random >> 10) % 257);
	}
	return 0;
}
