/* counted.c -- work and rest in threads or processes, between blocks.
 *
 *	counted THREADS MS [fork|poor]
 *
 * Each thread uses MS milliseconds of CPU time, rests, and allocates a block, twice; so does a
 * forked child then. Once all threads have had a block, all descriptors from 3 on are closed; poor:
 * none can be had. Prints the milliseconds of each process, its child not counted, and which
 * descriptors were open before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static long ms;
static pthread_barrier_t begun;

static long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void work(void)
{
	for (int i = 0; i < 2; i++) {
		long end = cpu_us() + ms * 1000;
		while (cpu_us() < end)
			;
		/* A counter that software keeps is brought up to date when its thread rests. */
		usleep(1000);
		free(malloc(1 << 20));
	}
}

static void *begin_and_work(void *unused)
{
	free(malloc(1));
	pthread_barrier_wait(&begun);
	work();
	return unused;
}

static void close_all(void)
{
	for (int fd = 3; fd < 256; fd++)
		if (close(fd) == 0)
			printf("descriptor %d\n", fd);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[MOST];

	ms = argc > 2 ? atol(argv[2]) : 1;
	if (threads < 1 || threads > MOST)
		return 2;
	if (argc > 3 && strcmp(argv[3], "poor") == 0)
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, 0 });
	pthread_barrier_init(&begun, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, begin_and_work, NULL))
			return 1;
	pthread_barrier_wait(&begun);
	close_all();
	work();
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	/* What the others did last is in the sum once they have ended. */
	free(malloc(1 << 22));
	fflush(stdout);
	if (argc > 3 && strcmp(argv[3], "fork") == 0 && fork() == 0) {
		work();
		_exit(0);
	}
	wait(NULL);
	printf("worked %ld\n", 2 * ms * threads);
	return 0;
}
