/* startstop.c -- threads that allocate, free and realloc, and fork children that do the same.
 *
 * startstop THREADS MS [FORKS]: for MS milliseconds; a thread forks every FORKS rounds (200; 0:
 * never). In the end all blocks are freed. Every byte of a block is checked before it is freed.
 * Prints what must be the same however it is recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { BLOCKS = 256, MOST = 64 };

struct block {
	unsigned char *at;
	size_t size;
};

static unsigned int fork_every = 200;
static double end_ms;
static _Atomic unsigned long damaged, bad_children;

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

static void check_block(const struct block *b)
{
	for (size_t i = 0; i < b->size; i++)
		damaged += b->at[i] != (unsigned char)b->size;
}

static void free_block(struct block *b)
{
	check_block(b);
	errno = 77;
	free(b->at);
	damaged += errno != 77;
	*b = (struct block){ NULL, 0 };
}

static void replace_block(struct block *b, unsigned int *seed)
{
	size_t size = (size_t)rand_r(seed) % 400 + 1;

	if (b->at && *seed % 4 == 0) {
		check_block(b);
		b->at = realloc(b->at, size);
	} else {
		free_block(b);
		b->at = *seed % 3 ? malloc(size) : calloc(1, size);
	}
	b->size = size;
	memset(b->at, (int)(size & 255), size);
}

static void work_for(struct block *block, unsigned int rounds, unsigned int *seed)
{
	for (unsigned int i = 0; i < rounds; i++)
		replace_block(&block[(unsigned int)rand_r(seed) % BLOCKS], seed);
}

static void free_all(struct block *block)
{
	for (int i = 0; i < BLOCKS; i++)
		free_block(&block[i]);
}

static void fork_child(struct block *block, unsigned int *seed)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		work_for(block, 500, seed);
		free_all(block);
		_exit(damaged ? 1 : 42);
	}
	if (pid > 0 && (waitpid(pid, &status, 0) != pid || status != 42 << 8))
		bad_children++;
}

static void *work(void *number)
{
	unsigned int seed = (unsigned int)(size_t)number;
	struct block block[BLOCKS] = { { NULL, 0 } };

	for (unsigned int round = 1; now_ms() < end_ms; round++) {
		work_for(block, 100, &seed);
		if (fork_every && round % fork_every == 0)
			fork_child(block, &seed);
	}
	free_all(block);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t thread[MOST];

	if (threads < 1 || threads > MOST)
		return 2;
	if (argc > 3)
		fork_every = (unsigned int)atoi(argv[3]);
	end_ms = now_ms() + atof(argv[2]);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(size_t)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	say("damaged=%lu bad_children=%lu", damaged, bad_children);
	return damaged || bad_children;
}
