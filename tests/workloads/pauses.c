/* pauses.c -- nothing, for a while, then some blocks at once, again and again; and when that was.
 *
 * pauses THREADS COUNT MS: the threads take turns. At each, a block lives for some milliseconds, a MiB
 * is kept, and 100 blocks are freed again. Prints the milliseconds from the first to each turn, how
 * long that block lived, and the MiB kept by then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 100, MOST = 100, KEPT = 1 << 20, FIRST = 54321 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int threads, count, pause_ms, turn;
static double when[MOST], lived[MOST];
static void *kept[MOST];

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

static void take_turn(void)
{
	const struct timespec life = { 0, 20000000 };
	struct timespec wait = { pause_ms / 1000, (long)(pause_ms % 1000) * 1000000 };
	void *block[BLOCKS];

	nanosleep(&wait, NULL);
	when[turn] = now_ms();
	void *volatile first = malloc(FIRST);
	nanosleep(&life, NULL);
	free(first);
	lived[turn] = now_ms() - when[turn];
	kept[turn] = malloc(KEPT);
	for (int i = 0; i < BLOCKS; i++)
		block[i] = malloc(1000);
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
}

static void *work(void *number)
{
	unsigned int own = (unsigned int)(size_t)number;

	pthread_mutex_lock(&lock);
	while (turn < count) {
		if (turn % threads == own) {
			take_turn();
			turn++;
			pthread_cond_broadcast(&changed);
		} else {
			pthread_cond_wait(&changed, &lock);
		}
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST];

	if (argc != 4)
		return 2;
	threads = (unsigned int)atoi(argv[1]);
	count = (unsigned int)atoi(argv[2]);
	pause_ms = (unsigned int)atoi(argv[3]);
	if (threads < 1 || threads > MOST || count > MOST)
		return 2;
	for (size_t i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	work(NULL);
	for (size_t i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < count; i++) {
		printf("turn at=%.0f lived=%.0f kept=%u\n", when[i] - when[0], lived[i], i + 1);
		free(kept[i]);
	}
	return 0;
}
