/* CFLAGS: -O0 -fno-inline */
/* massif_kinds.c -- calloc, reallocarray, strdup, and sizes of all kinds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

int main(void)
{
	static char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	calloc(7, 33);
	calloc(1, 0);
	reallocarray(NULL, 12, 50);
	strdup(text);
	strndup(text, 100);
	calloc((size_t)-1, 16);
	malloc((size_t)-1);
	for (int i = 0; i < 130; i++)
		malloc(i * i);
	return 0;
}
