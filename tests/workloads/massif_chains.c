/* CFLAGS: -O0 -fno-inline */
/* massif_chains.c -- nine blocks of one size below four chains of wrappers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *a4(size_t n) { return malloc(n); }
static void *a3(size_t n) { return a4(n); }
static void *a2(size_t n) { return a3(n); }
static void *a1(size_t n) { return a2(n); }
static void *b4(size_t n) { return malloc(n); }
static void *b3(size_t n) { return b4(n); }
static void *b2(size_t n) { return b3(n); }
static void *b1(size_t n) { return b2(n); }
static void *c4(size_t n) { return malloc(n); }
static void *c3(size_t n) { return c4(n); }
static void *c2(size_t n) { return c3(n); }
static void *c1(size_t n) { return c2(n); }
static void *d4(size_t n) { return malloc(n); }
static void *d3(size_t n) { return d4(n); }
static void *d2(size_t n) { return d3(n); }
static void *d1(size_t n) { return d2(n); }

int main(void)
{
	a1(640);
	b1(640);
	b2(640);
	c1(640);
	c2(640);
	c3(640);
	d1(640);
	d3(640);
	malloc(640);
	return 0;
}
