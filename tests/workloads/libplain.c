/* libplain.c -- a library that allocates like any other, with the functions of libown.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

int own_work(int count)
{
	for (int i = 0; i < count; i++)
		free(malloc((size_t)i));
	return count;
}

char *own_give(void)
{
	return malloc(777);
}

void own_take(char *block)
{
	free(block);
}
