/* sampled.c -- Places of blocks of known sizes, for estimates from samples.
 *
 *     sampled [threads N] [fork N] [realloc]
 *     sampled swing
 *
 * Prints what each of 20 places holds in the end, and has allocated in all:
 * "NAME live_bytes live_blocks total_bytes total_blocks".
 *
 * SPDX-License-Identifier: 0BSD
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define BLOCKS_MOST 4096

/* NAME, size of a block, blocks. The sizes are from far below to far above 16 KiB. */
#define PLACES(P)                                                                                  \
	P(0, 0, 3000) P(1, 1, 3000) P(2, 16, 4000) P(3, 24, 4000) P(4, 100, 3000)                  \
	P(5, 128, 3000) P(6, 500, 2000) P(7, 1000, 1000) P(8, 1024, 1000) P(9, 2000, 800)          \
	P(10, 4000, 500) P(11, 4096, 400) P(12, 8000, 200) P(13, 10000, 200) P(14, 16384, 100)     \
	P(15, 20000, 80) P(16, 32768, 40) P(17, 50000, 20) P(18, 70000, 10) P(19, 80000, 8)

static int uses_realloc;
static __thread void *kept[20][BLOCKS_MOST];

static __thread void *volatile sink;

#define PLACE(n, size, count)                                                                      \
	NOINLINE void *place_##n(void);                                                            \
	NOINLINE void *place_##n(void)                                                             \
	{                                                                                          \
		void *block = malloc(size);                                                        \
		sink = block;                                                                      \
		return block;                                                                      \
	}
PLACES(PLACE)

#define ROW(n, size, count) { #n, place_##n, size, count },
static const struct {
	const char *name;
	void *(*make)(void);
	size_t size;
	int count;
} places[] = { PLACES(ROW) };

/* Every second block is freed, in another order than that of the allocations. */
static void *fill_all_places(void *unused)
{
	(void)unused;
	for (int i = 0; i < BLOCKS_MOST; i++)
		for (int p = 0; p < 20; p++)
			if (i < places[p].count)
				kept[p][i] = places[p].make();
	for (int p = 0; p < 20; p++)
		for (int i = places[p].count - 1; i >= 0; i--)
			if (i % 2)
				free(kept[p][i]);
	return NULL;
}

static void print_truth(int times)
{
	for (int p = 0; p < 20; p++) {
		long all = (long)places[p].count * times, live = all - places[p].count / 2 * times;

		printf("place_%s %ld %ld %ld %ld\n", places[p].name, live * (long)places[p].size,
		       live, all * (long)places[p].size, all);
	}
}

/* Each block grows in steps; only the last size is live. */
NOINLINE void grow_blocks(int count);
void grow_blocks(int count)
{
	for (int i = 0; i < count; i++) {
		void *block = NULL;

		for (size_t size = 1000; size <= 16000; size += 1000)
			block = realloc(block, size);
		sink = block;
	}
	printf("grow_blocks %ld %d %ld %d\n", count * 16000L, count, count * 136000L, count * 16);
}

/* The last block of each round is the peak, and is freed, or grows, at once. */
static void swing(void)
{
	void *kept_on[40];

	for (int i = 0; i < 40; i++) {
		kept_on[i] = malloc(1000 * (size_t)i);
		free(malloc(100000 + 5000 * (size_t)i));
		sink = realloc(malloc(300000), 300001 + 7000 * (size_t)i);
		free(sink);
	}
	for (int i = 0; i < 40; i++)
		free(kept_on[i]);
}

static void run_threads(int count)
{
	pthread_t thread[64];

	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, fill_all_places, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	int threads = 0, children = 0;

	if (argc > 1 && !strcmp(argv[1], "swing")) {
		swing();
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "realloc"))
			uses_realloc = 1;
		else if (!strcmp(argv[i], "threads"))
			threads = atoi(argv[++i]);
		else if (!strcmp(argv[i], "fork"))
			children = atoi(argv[++i]);
	}
	if (uses_realloc)
		grow_blocks(500);
	else if (threads)
		run_threads(threads);
	else if (!children)
		fill_all_places(NULL);
	for (int i = 0; i < children; i++) {
		if (fork() == 0) {
			fill_all_places(NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	if (!uses_realloc)
		print_truth(threads ? threads : 1);
	return 0;
}
