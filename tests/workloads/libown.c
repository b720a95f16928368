/* CFLAGS: -Wl,-Bsymbolic */
/* libown.c -- a library that binds its own malloc to itself (-Bsymbolic).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "tests/lib/bump.h"

int own_work(int count)
{
	int served = bump_served;

	for (int i = 0; i < count; i++)
		free(malloc((size_t)i));
	return bump_served - served;
}

char *own_give(void)
{
	return malloc(777);
}

void own_take(char *block)
{
	free(block);
}
