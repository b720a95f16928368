/* fill.c -- many blocks, all kept: what is known of each costs memory.
 *
 *	fill BLOCKS SMALLEST LARGEST
 *
 * Sizes in bytes, at random and evenly spread. Only the first byte of a block is touched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/random.h"

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: fill BLOCKS SMALLEST LARGEST\n", stderr);
		return 2;
	}
	unsigned long blocks = strtoul(argv[1], NULL, 10);
	unsigned long least = strtoul(argv[2], NULL, 10);
	unsigned long range = strtoul(argv[3], NULL, 10) - least + 1;

	for (unsigned long i = 0; i < blocks; i++) {
		char *volatile block = malloc(least + next_random() % range);
		if (!block)
			return 1;
		*block = 1;
	}
	return 0;
}
