/* pairs.c -- how long a pair of malloc and free takes, without the rest of a process.
 *
 *	pairs PAIRS [wait]
 *
 * With `wait` it begins at the end of its standard input; until then it allocates once a millisecond.
 * Prints two figures, ns of CPU time: a block that is freed at once, and one of 64 that is replaced.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 15

static double cpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void make_pairs(unsigned long pairs)
{
	for (unsigned long i = 0; i < pairs; i++) {
		void *volatile block = malloc(24);
		free(block);
	}
}

static void replace_blocks(unsigned long pairs)
{
	static void *volatile slot[64];

	for (unsigned long i = 0; i < pairs; i++) {
		free(slot[i % 64]);
		slot[i % 64] = malloc(16 + i * 48 % 257);
	}
}

static double least_ns(void (*work)(unsigned long), unsigned long pairs)
{
	double least = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		double start = cpu_now_ns();

		work(pairs);
		double each = (cpu_now_ns() - start) / (double)pairs;
		least = each < least ? each : least;
	}
	return least;
}

static void wait_for_end(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	char byte;

	while (poll(&in, 1, 1) == 0 || read(0, &byte, 1) == 1) {
		void *volatile block = malloc(24);
		free(block);
	}
}

int main(int argc, char **argv)
{
	unsigned long pairs = argc >= 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (pairs == 0) {
		fputs("usage: pairs PAIRS [wait]\n", stderr);
		return 2;
	}
	if (argc > 2)
		wait_for_end();
	double same = least_ns(make_pairs, pairs);
	printf("%.2f %.2f\n", same, least_ns(replace_blocks, pairs));
	return 0;
}
