/* requests.c -- a program that uses every request of memusage.h and says what must come of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/memusage.h"

static char room[1 << 20] __attribute__((aligned(4096)));
static char *map;

static void say(const char *line)
{
	write(1, line, strlen(line));
}

static __attribute__((noinline)) void take(char *at, size_t size)
{
	MEMUSAGE_MALLOCLIKE_BLOCK(at, size);
}

static __attribute__((noinline)) void give(char *at)
{
	MEMUSAGE_FREELIKE_BLOCK(at);
}

/* 100 blocks of 48 bytes in a static array, 40 freed; one resized up, one down. */
static void plain(void)
{
	for (int i = 0; i < 100; i++)
		take(room + 64 * i, 48);
	for (int i = 0; i < 40; i++)
		give(room + 64 * i);
	MEMUSAGE_RESIZEINPLACE_BLOCK(room + 64 * 50, 48, 60);
	MEMUSAGE_RESIZEINPLACE_BLOCK(room + 64 * 51, 48, 8);
	say("truth malloc calls=100 bytes=4800\ntruth free calls=40 bytes=1920\n"
	    "truth realloc calls=2 bytes=12\ntruth realloc-nomove count=2\n"
	    "truth realloc-dec count=1\ntruth 48-63 count=101\n"
	    "truth heap peak=4800 total=4812\n");
}

/* Blocks a byte apart are told apart; one of no bytes is one too. */
static void tiny(void)
{
	for (int i = 0; i < 1000; i++)
		take(room + i, 1);
	for (int i = 0; i < 1000; i += 2)
		give(room + i);
	take(room + 5000, 0);
	give(room + 5000);
	say("truth malloc calls=1001 bytes=1000\ntruth free calls=501 bytes=500\n"
	    "truth heap peak=1000\n");
}

/* Inside a block of malloc: shown, not counted. The last two are ended by free and realloc. */
static void nested(void)
{
	char *block = malloc(100000), *other = malloc(50000);

	for (int i = 0; i < 100; i++)
		take(block + 512 * i, 500);
	for (int i = 0; i < 50; i++)
		give(block + 512 * i);
	take(other, 300); /* at its very beginning */
	take(other + 49999, 1);
	free(block);
	other = realloc(other, 20000000);
	free(other);
	take(room, 100);      /* announced, and a block inside it */
	take(room + 10, 20);
	give(room + 10);
	take(room + 10, 20);
	give(room);
	take(room + 10, 20); /* counts now */
	give(room + 10);
	say("truth malloc calls=4 bytes=150120\ntruth free calls=4\ntruth heap peak=20000000\n");
}

static void pools(void)
{
	char *a = room, *b = room + 1000;
	int pool, other;

	MEMUSAGE_CREATE_MEMPOOL(&pool);
	MEMUSAGE_CREATE_MEMPOOL(&other);
	for (int i = 0; i < 10; i++)
		MEMUSAGE_MEMPOOL_ALLOC(&pool, a + 100 * i, 100);
	for (int i = 0; i < 5; i++)
		MEMUSAGE_MEMPOOL_ALLOC(&other, b + 100 * i, 60);
	MEMUSAGE_MEMPOOL_FREE(&pool, a + 300);
	MEMUSAGE_DESTROY_MEMPOOL(&pool);
	MEMUSAGE_MEMPOOL_FREE(&other, b);
	for (int i = 0; i < 5000; i++) {
		MEMUSAGE_MEMPOOL_ALLOC(&other, b + 1000 + 16 * i, 16);
		if (i % 2)
			MEMUSAGE_MEMPOOL_FREE(&other, b + 1000 + 16 * (i - 1));
	}
	say("truth malloc calls=5015 bytes=81300\ntruth free calls=2511 bytes=41060\n"
	    "truth heap peak=40256\n");
}

/* Not one of these may be counted, or do harm. */
static void hostile(void)
{
	static char name[1 << 20];
	int pool, other;

	memset(name, 'x', sizeof(name) - 1);
	give(room);
	give((char *)1);
	give((char *)UINTPTR_MAX);
	MEMUSAGE_RESIZEINPLACE_BLOCK(room, 1, 2);
	MEMUSAGE_RESIZEINPLACE_BLOCK(UINTPTR_MAX - 5, 1, 2);
	MEMUSAGE_MEMPOOL_ALLOC(&pool, room, 10);
	MEMUSAGE_MEMPOOL_FREE(&pool, room);
	MEMUSAGE_DESTROY_MEMPOOL(&pool);
	MEMUSAGE_CREATE_MEMPOOL(&other);
	MEMUSAGE_CREATE_MEMPOOL(&other);
	MEMUSAGE_MEMPOOL_FREE(&other, room);
	take((char *)UINTPTR_MAX - 100, 50);
	take(room, SIZE_MAX);
	take(room, SIZE_MAX / 2);
	MEMUSAGE_RESUME();
	MEMUSAGE_HISTOGRAM_MEMORY(room);
	MEMUSAGE_REQUEST_(4711, 1, 2, 3);
	take(NULL, 1000); /* as the result of a malloc that failed: no error */
	give(NULL);
	MEMUSAGE_MARK(name);
	MEMUSAGE_MARK(NULL);
	MEMUSAGE_MARK("");
	for (int i = 0; i < 70000; i++)
		MEMUSAGE_MARK("again");
	say("errors 16\n");
	free(malloc(1));
	say("truth malloc calls=1 bytes=1\ntruth free calls=1\ntruth heap peak=1\n");
}

static void *worker(void *argument)
{
	char *mine = map + (size_t)argument * (8 << 20);

	for (int turn = 0; turn < 20; turn++) {
		MEMUSAGE_CREATE_MEMPOOL(mine);
		for (int i = 0; i < 1000; i++)
			MEMUSAGE_MALLOCLIKE_BLOCK(mine + 64 * i, 64);
		for (int i = 1000; i < 2000; i++)
			MEMUSAGE_MEMPOOL_ALLOC(mine, mine + 64 * i, 32);
		for (int i = 0; i < 1000; i++)
			MEMUSAGE_FREELIKE_BLOCK(mine + 64 * i);
		MEMUSAGE_DESTROY_MEMPOOL(mine);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[8];

	for (size_t i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, worker, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	say("truth malloc calls>=320000 bytes>=15360000\ntruth free calls>=320000\n");
}

/* What is allocated in a pause is not recorded; what was there is followed. */
static void pause_and_resume(void)
{
	char *before = malloc(1000), *grows = malloc(10), *unseen;

	MEMUSAGE_PAUSE();
	for (int i = 0; i < 50; i++)
		unseen = malloc(100);
	MEMUSAGE_PAUSE();
	MEMUSAGE_RESUME();
	free(malloc(100));
	take(room, 64);
	free(before);
	grows = realloc(grows, 5000);
	MEMUSAGE_RESUME();
	give(room);
	free(unseen);
	free(malloc(2000));
	free(grows);
	say("truth malloc calls=3 bytes=3010\ntruth free calls=3 bytes=8000\n"
	    "truth realloc calls=1 bytes=4990\ntruth heap peak=7000\n");
}

static void marks(void)
{
	MEMUSAGE_MARK("begin");
	char *block = malloc(12345);
	MEMUSAGE_MARK("full");
	free(block);
	MEMUSAGE_MARK("end\n\033[31mred");
}

static __attribute__((noinline)) void happen(unsigned int weight)
{
	MEMUSAGE_AD_HOC_EVENT(weight);
}

static __attribute__((noinline)) void often(void)
{
	for (int i = 0; i < 100; i++)
		happen(7);
}

static void ad_hoc(void)
{
	free(malloc(100));
	happen(1000);
	happen(0);
	often();
	say("units 1700 events 102\n");
}

static void child(void)
{
	char *block = malloc(1000);

	MEMUSAGE_CREATE_MEMPOOL(room);
	MEMUSAGE_MEMPOOL_ALLOC(room, room, 500);
	take(block, 10);
	if (fork() == 0) {
		MEMUSAGE_DESTROY_MEMPOOL(room);
		give(block);
		take(room + 2000, 200);
		_exit(0);
	}
	int status;
	wait(&status);
	MEMUSAGE_DESTROY_MEMPOOL(room);
	free(block);
	say("truth malloc calls=2 bytes=1500\ntruth free calls=2 bytes=1500\ntruth heap peak=1500\n"
	    "truth child lines=1 calls=2 peak=1500\n");
}

static void plugin(const char *path)
{
	void *object = dlopen(path, RTLD_NOW);
	void (*use)(char *) = object ? (void (*)(char *))dlsym(object, "plugin_use") : NULL;

	if (!use)
		return;
	use(room);
	say("truth 96-111 count=2\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} part[] = {
		{ "plain", plain }, { "tiny", tiny }, { "nested", nested }, { "pools", pools },
		{ "hostile", hostile }, { "threads", threads }, { "pause", pause_and_resume },
		{ "marks", marks }, { "ad_hoc", ad_hoc }, { "child", child },
	};

	map = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (argc > 2)
		plugin(argv[2]);
	errno = 42;
	for (size_t i = 0; argc > 1 && i < sizeof(part) / sizeof(*part); i++)
		if (!strcmp(part[i].name, argv[1]))
			part[i].run();
	return errno == 42 || argc > 2 || !strcmp(argv[1], "child") ? 0 : 1;
}
