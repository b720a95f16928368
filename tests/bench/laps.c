/* laps.c -- laps of nothing but malloc and free, each of which is timed.
 *
 *	laps THREADS PAIRS [calloc | realloc | memalign | mmap]
 *
 * For each byte on standard input each thread makes PAIRS pairs of malloc, or another function, and
 * free, and a line tells the CPU time of a pair in nanoseconds. Between two laps a recorder can be
 * attached, or taken away. Each thread keeps 64 blocks of 16 to 1024 bytes and replaces one at a
 * time; realloc changes the sizes instead, by 16 bytes, and frees none. mmap maps a page that munmap
 * unmaps again, without a touch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, SLOTS = 64, MAX_THREADS = 64 };

static unsigned long pairs;

static void make_pairs(void *volatile *slot)
{
	for (unsigned long i = 0; i < pairs; i++) {
		free(slot[i % SLOTS]);
		slot[i % SLOTS] = malloc(16 + i * 48 % 1009);
	}
}

static void make_calloc_pairs(void *volatile *slot)
{
	for (unsigned long i = 0; i < pairs; i++) {
		free(slot[i % SLOTS]);
		slot[i % SLOTS] = calloc(1, 16 + i * 48 % 1009);
	}
}

static void make_memalign_pairs(void *volatile *slot)
{
	for (unsigned long i = 0; i < pairs; i++) {
		free(slot[i % SLOTS]);
		slot[i % SLOTS] = memalign(64, 16 + i * 48 % 1009);
	}
}

static void change_sizes(void *volatile *slot)
{
	for (unsigned long i = 0; i < pairs; i++)
		slot[i % SLOTS] = realloc(slot[i % SLOTS], 16 + i / SLOTS % 2 * 16);
}

static void map_pages(void *volatile *slot)
{
	(void)slot;
	for (unsigned long i = 0; i < pairs; i++) {
		void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED || munmap(page, PAGE))
			exit(1);
	}
}

static const struct {
	const char *name;
	void (*run)(void *volatile *slot);
} kinds[] = {
	{ "malloc", make_pairs }, { "calloc", make_calloc_pairs },
	{ "memalign", make_memalign_pairs }, { "realloc", change_sizes },
	{ "mmap", map_pages },
};

static void (*make)(void *volatile *slot) = make_pairs;

static void *run_lap(void *unused)
{
	void *volatile slot[SLOTS] = { NULL };

	make(slot);
	for (int i = 0; i < SLOTS; i++)
		free(slot[i]);
	return unused;
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	int threads = argc == 3 || argc == 4 ? atoi(argv[1]) : 0;
	double begin;
	char byte;

	if (threads < 1 || threads > MAX_THREADS) {
		fputs("usage: laps THREADS PAIRS [calloc | realloc | memalign | mmap]\n", stderr);
		return 2;
	}
	for (size_t i = 0; argc == 4 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[3], kinds[i].name) == 0)
			make = kinds[i].run;
	}
	pairs = strtoul(argv[2], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (read(0, &byte, 1) == 1) {
		begin = cpu_ns();
		for (int i = 1; i < threads; i++) {
			if (pthread_create(&thread[i], NULL, run_lap, NULL) != 0)
				return 1;
		}
		run_lap(NULL);
		for (int i = 1; i < threads; i++)
			pthread_join(thread[i], NULL);
		printf("%.2f\n", (cpu_ns() - begin) / (double)pairs / threads);
	}
	return 0;
}
