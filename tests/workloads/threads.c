/* threads.c -- threads that come, allocate and go in every way: `threads HOW [COUNT]`.
 *
 * Every thread makes and frees three blocks of 5000 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <threads.h>

#include "tests/lib/workload.h"

enum { AT_ONCE = 8, BLOCK = 5000 };

static pthread_key_t key;
static pthread_barrier_t barrier;
static volatile int ready;

static void work(void)
{
	void *block[3];

	for (int i = 0; i < 3; i++)
		memset(block[i] = malloc(BLOCK), 1, BLOCK);
	for (int i = 0; i < 3; i++)
		free(block[i]);
}

static pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN + 65536);
	check(!pthread_create(&id, &attr, function, argument), "pthread_create");
	pthread_attr_destroy(&attr);
	return id;
}

/* COUNT threads, at most AT_ONCE at a time. */
static void run_all(void *(*function)(void *), int count)
{
	pthread_t id[AT_ONCE];

	for (int i = 0; i < count; i++) {
		if (i >= AT_ONCE)
			pthread_join(id[i % AT_ONCE], NULL);
		id[i % AT_ONCE] = start(function, NULL);
	}
	for (int i = count < AT_ONCE ? 0 : count - AT_ONCE; i < count; i++)
		pthread_join(id[i % AT_ONCE], NULL);
}

static void tell(int count)
{
	say("truth 4992-5007 count=%d", 3 * count);
}

static void *plain(void *unused)
{
	work();
	return unused;
}

static void churn(int count)
{
	run_all(plain, count);
	tell(count);
}

/* The kernel closes many descriptors after the thread has ended for whoever joins it. */
static void *lingers(void *unused)
{
	work();
	check(!unshare(CLONE_FILES), "unshare");
	return unused;
}

static void linger(int count)
{
	struct rlimit limit;
	int files = 0;

	check(!getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
	limit.rlim_cur = limit.rlim_max < 20000 ? limit.rlim_max : 20000;
	check(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	while (dup(1) >= 0)
		files++;
	check(files > 500, "dup");
	for (int i = 0; i < count; i++)
		pthread_join(start(lingers, NULL), NULL);
	tell(count);
}

/* All at once: each holds a block while it waits for all others. */
static void *waits(void *unused)
{
	char *block = malloc(BLOCK);

	memset(block, 1, BLOCK);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	free(block);
	return unused;
}

static void crowd(int count)
{
	pthread_t *id = calloc((size_t)count, sizeof(*id));

	pthread_barrier_init(&barrier, NULL, (unsigned int)count + 1);
	for (int i = 0; i < count; i++)
		id[i] = start(waits, NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < count; i++)
		pthread_join(id[i], NULL);
	free(id);
	say("truth 4992-5007 count=%d", count);
	say("crowd peak=%zu", (size_t)count * (BLOCK + sizeof(*id)));
}

static void leave(int depth)
{
	volatile char room[500];

	room[0] = (char)depth;
	if (depth)
		leave(depth - 1);
	else
		pthread_exit(NULL);
	room[1] = room[0];
}

static void *exits(void *unused)
{
	work();
	leave(20);
	return unused;
}

static void by_exit(int count)
{
	run_all(exits, count);
	tell(count);
}

/* A destructor that allocates, and asks to be called again as often as it may. */
static void destroy(void *block)
{
	free(block);
	work();
	pthread_setspecific(key, malloc(700));
}

static void *specific(void *unused)
{
	pthread_setspecific(key, malloc(700));
	return unused;
}

static void by_key(int count)
{
	pthread_key_create(&key, destroy);
	run_all(specific, count);
	say("truth 4992-5007 count=%d", 3 * count * PTHREAD_DESTRUCTOR_ITERATIONS);
	say("truth 688-703 count=%d", count * (PTHREAD_DESTRUCTOR_ITERATIONS + 1));
}

static void on_cancel(void *block)
{
	free(block);
	work();
}

static void *sleeps(void *how)
{
	volatile bool endless = true;

	pthread_setcanceltype(how ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	pthread_cleanup_push(on_cancel, malloc(800));
	__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	while (endless)
		if (!how)
			pause();
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancel(int count, bool asynchronous)
{
	for (int i = 0; i < count; i++) {
		pthread_t id = start(sleeps, asynchronous ? &ready : NULL);
		while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) <= i)
			sched_yield();
		pthread_cancel(id);
		pthread_join(id, NULL);
	}
	tell(count);
	say("truth 800-815 count=%d", count);
}

static void cancel_deferred(int count)
{
	cancel(count, false);
}

static void cancel_asynchronous(int count)
{
	cancel(count, true);
}

static int c11(void *unused)
{
	(void)unused;
	work();
	return 11;
}

static void by_thrd_create(int count)
{
	for (int i = 0; i < count; i++) {
		thrd_t id;
		int result = 0;
		check(thrd_create(&id, c11, NULL) == thrd_success, "thrd_create");
		check(thrd_join(id, &result) == thrd_success && result == 11, "thrd_join");
	}
	tell(count);
}

static void *detached(void *unused)
{
	work();
	__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	return unused;
}

static void detach(int count)
{
	for (int i = 0; i < count; i++) {
		pthread_detach(start(detached, NULL));
		while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) <= i)
			sched_yield();
	}
	tell(count);
}

/* main returns while others go on: their blocks are freed after every destructor has run. */
static void *never_ends(void *unused)
{
	void *block[16] = { NULL };

	for (unsigned int i = 0;; i++) {
		free(block[i % 16]);
		block[i % 16] = malloc(i % 2000);
		if (i == 1000)
			__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	}
	return unused;
}

static void exit_race(int count)
{
	for (int i = 0; i < count; i++)
		pthread_detach(start(never_ends, NULL));
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < count)
		sched_yield();
}

/* Blocks are made by one half of the threads and freed by the other. */
enum { RING = 64, EACH = 5000 };
static void *ring[AT_ONCE][RING];

static void *makes(void *argument)
{
	void **mine = argument;

	for (int i = 0; i < EACH; i++) {
		void *block = malloc((size_t)(i % 100) * 10);
		while (__atomic_load_n(&mine[i % RING], __ATOMIC_ACQUIRE))
			sched_yield();
		__atomic_store_n(&mine[i % RING], block, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void *frees(void *argument)
{
	void **mine = argument;

	for (int i = 0; i < EACH; i++) {
		void *block;
		while (!(block = __atomic_load_n(&mine[i % RING], __ATOMIC_ACQUIRE)))
			sched_yield();
		__atomic_store_n(&mine[i % RING], NULL, __ATOMIC_RELEASE);
		free(block);
	}
	return NULL;
}

static void cross(int count)
{
	pthread_t id[2 * AT_ONCE];

	for (int i = 0; i < count; i++) {
		id[2 * i] = start(makes, ring[i]);
		id[2 * i + 1] = start(frees, ring[i]);
	}
	for (int i = 0; i < 2 * count; i++)
		pthread_join(id[i], NULL);
	say("truth malloc calls=%d bytes=%d", count * EACH, count * EACH / 100 * 49500);
	say("truth free calls>=%d bytes>=%d", count * EACH, count * EACH / 100 * 49500);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} way[] = {
		{ "churn", churn },
		{ "linger", linger },
		{ "crowd", crowd },
		{ "exit", by_exit },
		{ "key", by_key },
		{ "cancel", cancel_deferred },
		{ "cancel-async", cancel_asynchronous },
		{ "c11", by_thrd_create },
		{ "detach", detach },
		{ "race", exit_race },
		{ "cross", cross },
	};
	int count = argc > 2 ? atoi(argv[2]) : 1;

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run(count);
	return 0;
}
