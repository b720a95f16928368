/* callers.c -- allocates by a function of its own at the ends of many paths that are alike: the same
 * return addresses at the same places of the stack but for one or two of them.
 *
 *	callers ROUNDS
 *
 * Prints "path NAMES BLOCKS" for each path that was taken, the outermost function first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/random.h"

#define NOINLINE __attribute__((noinline))

enum { LEVELS = 6, WIDTH = 3, PATHS = 729 };

static unsigned int path;
static unsigned long blocks[PATHS];

static NOINLINE void *own_malloc_of(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}

static NOINLINE void leaf(unsigned int way)
{
	/* Not always of the same length: what is behind the path moves. */
	volatile char room[16 + 16 * (way % 4)];

	room[0] = 0;
	free(own_malloc_of(24));
	blocks[path]++;
	__asm__ volatile("" : : "r"(room));
}

typedef void (*level)(unsigned int way, int depth);
static const level levels[WIDTH];

static NOINLINE void go_on(unsigned int way, int depth)
{
	if (depth == LEVELS)
		leaf((unsigned int)next_random());
	else
		levels[way % WIDTH](way / WIDTH, depth + 1);
	__asm__ volatile("");
}

#define LEVEL(name)                                                                                \
	static NOINLINE void name(unsigned int way, int depth)                                     \
	{                                                                                          \
		go_on(way, depth);                                                                 \
		__asm__ volatile("");                                                              \
	}
LEVEL(red)
LEVEL(green)
LEVEL(blue)

static const level levels[WIDTH] = { red, green, blue };

int main(int argc, char **argv)
{
	static const char *const names[WIDTH] = { "red", "green", "blue" };
	long rounds = argc > 1 ? atol(argv[1]) : 20000;

	for (long i = 0; i < rounds; i++) {
		/* Now the neighbours, now any. */
		path = i / 1000 % 2 ? (unsigned int)(next_random() % PATHS)
				    : (unsigned int)(i % 7 * 100 % PATHS);
		go_on(path, 0);
	}
	for (unsigned int p = 0; p < PATHS; p++) {
		if (blocks[p] == 0)
			continue;
		fputs("path ", stdout);
		for (unsigned int way = p, i = 0; i < LEVELS; i++, way /= WIDTH)
			printf("%s%c", names[way % WIDTH], i + 1 < LEVELS ? '>' : ' ');
		printf("%lu\n", blocks[p]);
	}
	return 0;
}
