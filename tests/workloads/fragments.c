/* fragments.c -- heaps that keep more memory than they need, each in another way: `fragments KIND`.
 *
 * With a second argument the program does what is advised. It prints what is known of its heap, and
 * how much private memory it has in the end: "RSS=BYTES". With a third, "wait", it waits for a line
 * of input before it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BLOCKS = 16384, SIZE = 1000,	/* short-lived: 16 MB */
	KEPT_SIZE = 64, EACH = 8,	/* a block that stays beside each eighth of them */
	FEW = 256,			/* ... or each 256th */
	THREADS = 8, LARGE = 2 << 20, LARGE_BLOCKS = 8, TINY_BLOCKS = 500000
};

static void *temporary[BLOCKS], *kept[BLOCKS];
static char *pool;
static bool follows_advice;

static __attribute__((noinline)) void *allocate_kept(void)
{
	char *block = pool;

	if (pool)
		pool += KEPT_SIZE;
	else
		block = malloc(KEPT_SIZE);
	return memset(block, 1, KEPT_SIZE);
}

static __attribute__((noinline)) void *allocate_temporary(size_t size)
{
	return memset(malloc(size), 2, size);
}

/* Leaves a kept block for each EACH temporary ones. */
static void fragment(void **block, void **keep, int count, int each)
{
	for (int i = 0; i < count; i++) {
		block[i] = allocate_temporary(SIZE);
		if (i % each == each - 1)
			keep[i] = allocate_kept();
	}
	for (int i = 0; i < count; i++)
		free(block[i]);
}

static void make_pool(void)
{
	fragment(temporary, kept, BLOCKS, EACH);
	printf("kept=%d bytes=%d\n", BLOCKS / EACH, BLOCKS / EACH * KEPT_SIZE);
}

static void make_trim(void)
{
	fragment(temporary, kept, BLOCKS, FEW);
	if (follows_advice)
		malloc_trim(0);
}

/* ---- arenas --------------------------------------------------------------------------------- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t done;

/* One after the other, so that a common arena would serve all. */
static void *work_in_turn(void *data)
{
	int from = BLOCKS / THREADS * *(int *)data;

	pthread_mutex_lock(&turn);
	fragment(temporary + from, kept + from, BLOCKS / THREADS, FEW);
	pthread_mutex_unlock(&turn);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&done);
	return NULL;
}

static void make_arenas(void)
{
	static int number[THREADS];
	pthread_t thread;

	pthread_barrier_init(&done, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&thread, NULL, work_in_turn, &number[i]);
	}
	pthread_barrier_wait(&done);
}

/* ---- large and tiny blocks ------------------------------------------------------------------ */

/* The first free of a mapped block teaches glibc to take such blocks from the heap. */
static void make_threshold(void)
{
	void *large[LARGE_BLOCKS];

	free(allocate_temporary(2 * LARGE));
	for (int i = 0; i < LARGE_BLOCKS; i++) {
		large[i] = allocate_temporary(LARGE);
		kept[i] = allocate_kept();
	}
	for (int i = 0; i < LARGE_BLOCKS; i++)
		free(large[i]);
}

static void make_tiny(void)
{
	static void *tiny[TINY_BLOCKS];

	for (int i = 0; i < TINY_BLOCKS; i++)
		tiny[i] = memset(malloc(8), 3, 8);
	printf("last=%p\n", tiny[TINY_BLOCKS - 1]);
}

/* A block that is never touched, but for its ends. */
static void make_untouched(void)
{
	char *block = malloc(8 << 20);

	block[0] = block[(8 << 20) - 1] = 1;
	kept[0] = block;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void print_private_memory(void)
{
	char line[128];
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "RssAnon: %lu kB", &kb);
	if (f)
		fclose(f);
	printf("RSS=%lu\n", kb * 1024);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} kinds[] = {
		{ "pool", make_pool }, { "trim", make_trim }, { "arenas", make_arenas },
		{ "threshold", make_threshold }, { "tiny", make_tiny },
		{ "untouched", make_untouched },
	};
	/* The first free makes glibc 2.43's cache of the thread: now, not behind all blocks. */
	void *volatile first = allocate_temporary(SIZE);

	free(first);
	follows_advice = argc > 2 && strcmp(argv[2], "yes") == 0;
	if (follows_advice)
		pool = mmap(NULL, BLOCKS * KEPT_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kinds[i].make();
	}
	print_private_memory();
	if (argc > 3)
		getchar();
	return 0;
}
