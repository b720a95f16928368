/* manystacks.c -- allocate on as many different call stacks as there are leaves in a tree of calls.
 *
 *	manystacks DEPTH [ROUNDS]
 *
 * Each of 9 functions calls all 9, DEPTH deep: 9^DEPTH stacks (6: 531,441) of DEPTH + 2 frames.
 * Every third block is freed at once; with several rounds, all others after every fourth round.
 * Prints its totals.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

static volatile int after;
static unsigned long blocks, bytes, live;

struct block {
	struct block *next;
	size_t size;
};
static struct block *held;

static void at_end(unsigned int path)
{
	size_t size = 16 + path % 97;
	struct block *block = malloc(size);

	blocks++;
	bytes += size;
	if (blocks % 3 == 0) {
		free(block);
		return;
	}
	*block = (struct block){ held, size };
	held = block;
	live += size;
}

static void free_held(void)
{
	while (held) {
		struct block *next = held->next;

		live -= held->size;
		free(held);
		held = next;
	}
}

/* A call is not its function's last statement, so that no frame is reused. */
#define DECLARE(n) __attribute__((noinline)) static void f##n(int depth, unsigned int path);
#define CALL(n) case n: f##n(depth - 1, path / 9); after++; break;
#define DEFINE(n) static void f##n(int depth, unsigned int path) \
	{ \
		if (depth == 0) { \
			at_end(path); \
			after++; \
			return; \
		} \
		switch (path % 9) { \
		CALL(0) CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7) CALL(8) \
		} \
		after++; \
	}
#define ALL(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8)

ALL(DECLARE)
ALL(DEFINE)

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 4;
	int rounds = argc > 2 ? atoi(argv[2]) : 1;
	unsigned int paths = 1;

	for (int i = 0; i < depth; i++)
		paths *= 9;
	for (int round = 1; round <= rounds; round++) {
		for (unsigned int path = 0; path < paths; path++)
			f0(depth, path);
		if (round % 4 == 0)
			free_held();
	}
	printf("stacks %u\ntotal %lu %lu\nlive %lu\n", paths, bytes, blocks, live);
	return 0;
}
