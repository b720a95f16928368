/* libstackheld.c -- A function of a library that has a block for as long as it waits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

size_t library_hold(void (*wait)(void));

size_t library_hold(void (*wait)(void))
{
	char *block = calloc(1, 77777);
	char last;

	__asm__ volatile("" : : "r"(block) : "memory"); /* the block may not be left out */
	wait();
	last = block[77776];
	free(block);
	return last == 0;
}
