/* CFLAGS: -O0 -fno-inline */
/* massif_ties.c -- places with equal bytes, which are ordered by address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *last(size_t n) { return malloc(n); }
static void *middle(size_t n) { return malloc(n); }
static void *early(size_t n) { return malloc(n); }

int main(void)
{
	for (int i = 0; i < 12; i++) {
		last(200);
		early(200);
		middle(200);
		malloc(200);
	}
	return 0;
}
