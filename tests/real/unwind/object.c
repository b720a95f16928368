/* object.c -- a shared object to load and unload; FRAME makes its frames differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <string.h>

void call(void (*back)(size_t));

static __attribute__((noinline)) void inner(void (*back)(size_t), int depth)
{
	volatile char room[FRAME];

	memset((char *)room, depth, sizeof(room));
	back((size_t)depth + 1);
	if (depth)
		inner(back, depth - 1);
	room[0] = 0;
}

void call(void (*back)(size_t))
{
	inner(back, 6);
}
