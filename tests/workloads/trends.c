/* trends.c -- places whose memory grows, settles and churns, and memory that fragments.
 *
 *	trends STEPS            in each step keep_entry() keeps 1000 bytes, and use_buffer() replaces
 *	                        200 blocks of 500, of which 64 live; fill_cache() keeps 3000 bytes in each step of
 *	                        the first quarter; make_late() keeps 5000 in the last five of 100
 *	trends fragment [MS]    what is live does not change, but rooms become too small for new
 *	                        blocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 60, BLOCKS = 4000, FIRST = 200, MORE = 16, BUFFERS = 64 };

static void *volatile kept;

__attribute__((noinline)) static void keep_entry(void)
{
	kept = malloc(1000);
}

__attribute__((noinline)) static void fill_cache(void)
{
	kept = malloc(3000);
}

__attribute__((noinline)) static void make_late(void)
{
	kept = malloc(5000);
}

__attribute__((noinline)) static void use_buffer(void)
{
	static void *volatile buffer[BUFFERS];

	for (int i = 0; i < 200; i++) {
		free(buffer[i % BUFFERS]);
		buffer[i % BUFFERS] = malloc(500);
	}
}

static void run_steps(int steps)
{
	for (int i = 0; i < steps; i++) {
		if (i < steps / 4)
			fill_cache();
		keep_entry();
		use_buffer();
		if (i >= steps - steps / 20)
			make_late();
	}
}

/* Keeps every 20th block of a round, so that the next round, of larger blocks, finds no room. The
 * kept ones are paid for out of a store, so that the sum of live bytes stays. */
static void fragment(unsigned int ms)
{
	static char *block[BLOCKS], *store[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		size_t size = (size_t)(FIRST + MORE * i) * (BLOCKS / 20);

		store[i] = memset(malloc(size), 1, size);
	}
	for (int round = 0; round < ROUNDS; round++) {
		size_t size = FIRST + MORE * (size_t)round;

		for (int i = 0; i < BLOCKS; i++)
			block[i] = memset(malloc(size), 1, size);
		for (int i = 0; i < BLOCKS; i++) {
			if (i % 20 != 0)
				free(block[i]);
		}
		free(store[round]);
		usleep(ms * 1000);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "fragment") == 0)
		fragment(argc > 2 ? (unsigned int)atoi(argv[2]) : 30);
	else
		run_steps(argc > 1 ? atoi(argv[1]) : 400);
	return 0;
}
