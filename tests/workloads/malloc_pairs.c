/* malloc_pairs.c -- Pairs of malloc and free, as many as the argument says.
 *
 * SPDX-License-Identifier: 0BSD
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	for (unsigned long i = 0; i < pairs; i++) {
		void *volatile block = malloc(24);
		free(block);
	}
	return 0;
}
