/* early.c -- allocates before anything else has run, and after everything else has.
 *
 * In an ifunc resolver, in .preinit_array and in the first constructor; frees all of it in
 * the last destructor. Linked with -z now, so that the resolver runs while ld.so relocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "tests/lib/workload.h"

static void *block[4];

static int answer(void)
{
	return 42;
}

static int (*choose(void))(void)
{
	block[0] = malloc(1000);
	if (block[0])
		memset(block[0], 1, 1000);
	return answer;
}

int resolved(void) __attribute__((ifunc("choose")));

static void before_all(void)
{
	block[1] = malloc(2000);
	block[0] = realloc(block[0], 1500);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = before_all;

__attribute__((constructor(101))) static void first(void)
{
	block[2] = calloc(3, 1000);
}

__attribute__((destructor(101))) static void last(void)
{
	for (int i = 0; i < 4; i++)
		free(block[i]);
	block[3] = malloc(6000);
	free(block[3]);
}

int main(void)
{
	block[3] = malloc(5000);
	memset(block[0], 1, 1500);
	memset(block[1], 1, 2000);
	say("resolved %d", resolved());
	say("truth 2992-3007 count=1");
	say("truth 4992-5007 count=1");
	say("truth 6000-6015 count=1");
	return 0;
}
