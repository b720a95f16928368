/* CFLAGS: -O0 -fno-inline */
/* massif_levels.c -- places of many sizes on two levels, for the thresholds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *leaf(size_t n) { return malloc(n); }
static void first(void) { leaf(6000); leaf(2400); leaf(800); leaf(16); leaf(32); }
static void second(void) { leaf(3200); leaf(48); leaf(64); malloc(80); malloc(96); }
static void third(void) { leaf(16); malloc(16); }

int main(void)
{
	first();
	second();
	third();
	malloc(1600);
	malloc(112);
	return 0;
}
