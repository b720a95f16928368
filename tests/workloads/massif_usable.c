/* massif_usable.c -- prints what malloc_usable_size says of some blocks and of NULL; with an argument,
 * first gives realloc an address that is none of a block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static long no_block[8];

	(void)argv;
	if (argc > 1)
		printf("%d\n", realloc(&no_block[2], 100) == NULL);
	for (size_t n = 0; n < 2000; n += 99)
		printf("%zu: %zu\n", n, malloc_usable_size(malloc(n)));
	printf("%zu\n", malloc_usable_size(NULL));
	return 0;
}
