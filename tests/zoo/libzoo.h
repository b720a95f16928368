/* libzoo.h -- a shared object of the zoo: the file that includes it has said FRAME, the bytes of its
 * frames, and FLAVOUR, which makes its code another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdlib.h>
#include <string.h>

static char *kept;
static __thread char own[FLAVOUR * 100];

static __attribute__((constructor)) void load(void)
{
	kept = malloc(100 * FLAVOUR);
}

static __attribute__((destructor)) void unload(void)
{
	free(kept);
}

/* Padding, so that the same place holds other code in each of the objects. */
__attribute__((noinline)) int zoo_padding(int x)
{
	for (int i = 0; i < FLAVOUR; i++)
		x = x * (FLAVOUR + 3) + i;
	return x;
}

/* zoo_plug -- calls FN(ARG) under DEPTH frames of this object. */
__attribute__((noinline)) void zoo_plug(void (*fn)(void *), void *arg, unsigned int depth)
{
	volatile char pad[FRAME];
	char *block = malloc(FRAME + depth);

	pad[depth] = (char)zoo_padding((int)depth);
	own[depth]++;
	if (block)
		memset(block, 1, FRAME);
	if (depth)
		zoo_plug(fn, arg, depth - 1);
	else
		fn(arg);
	pad[0] = pad[depth];
	free(block);
}
