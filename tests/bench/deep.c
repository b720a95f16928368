/* deep.c -- allocations at the ends of a random walk through a tree of calls.
 *
 *	deep DEPTH EVENTS
 *
 * The five lowest levels call the next one once or twice from one of three places, so that
 * there are some hundred stacks, and two events in turn share most of theirs, as in real
 * programs. At the end of a path some blocks of a small live set are replaced. DEPTH counts
 * the frames between main and malloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdlib.h>

enum { LIVE = 64, REPLACED = 3, BRANCHING = 5 };

static void *live[LIVE];
static uint64_t random_state = 88172645463325252u;
static long left;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static __attribute__((noinline)) void replace(void)
{
	for (int i = 0; i < REPLACED; i++) {
		uint64_t r = next_random();
		free(live[r % LIVE]);
		live[r % LIVE] = malloc(16 + (r >> 32) % 240);
		left -= 2;
	}
	__asm__ volatile("");
}

static __attribute__((noinline)) void go_down(int levels)
{
	uint64_t r = next_random();

	if (levels == 0) {
		replace();
		return;
	}
	for (unsigned int times = 1 + (r & 3) / 3; times-- && left > 0;) {
		switch (levels > BRANCHING ? 0 : r % 3) {
		case 0:
			go_down(levels - 1);
			break;
		case 1:
			go_down(levels - 1);
			__asm__ volatile("");
			break;
		default:
			go_down(levels - 1);
			__asm__ volatile("nop");
		}
		r >>= 8;
	}
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 10;

	left = argc > 2 ? atol(argv[2]) : 1000000;
	while (left > 0)
		go_down(depth > 2 ? depth - 2 : 0);
	return 0;
}
