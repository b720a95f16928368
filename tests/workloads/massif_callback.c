/* CFLAGS: -O0 -fno-inline */
/* massif_callback.c -- a function that libc calls back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <search.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	malloc(48);
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int number[8] = { 5, 3, 8, 1, 9, 2, 7, 4 };

	bsearch(&number[6], number, 8, sizeof(int), compare);
	lfind(&number[3], number, &(size_t){ 8 }, sizeof(int), compare);
	return 0;
}
