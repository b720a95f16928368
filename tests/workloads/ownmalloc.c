/* ownmalloc.c -- a program that brings its own malloc in the executable.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/bump.h"
#include "tests/lib/workload.h"

int main(void)
{
	char *a = malloc(100), *b = strdup("libc calls it too"), *c = calloc(3, 30);
	FILE *file = fopen("/dev/null", "r");

	check(bump_owns(a) && bump_owns(b) && bump_owns(c) && bump_owns(file), "ours");
	c = realloc(c, 300);
	fclose(file);
	free(a);
	free(b);
	free(c);
	say("served %d, freed %d", bump_served > 4, bump_freed > 3);
	return 3;
}
