/* sampled.c -- Places of blocks of known sizes, for estimates from samples.
 *
 *     sampled [HOW] [threads N] [fork N] [vfork N] [raw N] [realloc]
 *     sampled early COMMAND
 *     sampled swing
 *
 * Prints what each of 20 places holds in the end, has allocated in all, and held when each had made
 * 100 blocks or all: "NAME live_bytes live_blocks total_bytes total_blocks early_bytes". At that
 * moment COMMAND is run, a shell's, with the program's ID in $PID. HOW they allocate: "pool", functions
 * pool_take(SIZE) and pool_give(BLOCK); "requests", of memusage.h; "macros", Valgrind's (prints
 * "no headers" where it was built without them); else malloc. Children of vfork() and of a raw
 * clone() do it in place of the program.
 *
 * SPDX-License-Identifier: 0BSD
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/memusage.h"

#if __has_include(<valgrind/valgrind.h>) && defined(__x86_64__)
#include <valgrind/valgrind.h>
#define HAS_MACROS 1
#else
#define VALGRIND_MALLOCLIKE_BLOCK(block, size, redzone, zeroed) (void)(block)
#define VALGRIND_FREELIKE_BLOCK(block, redzone) (void)(block)
#define HAS_MACROS 0
#endif

#define NOINLINE __attribute__((noinline, noclone))
#define BLOCKS_MOST 4096
#define EARLY 100

/* NAME, size of a block, blocks. The sizes are from far below to far above 16 KiB. */
#define PLACES(P)                                                                                  \
	P(0, 0, 3000) P(1, 1, 3000) P(2, 16, 4000) P(3, 24, 4000) P(4, 100, 3000)                  \
	P(5, 128, 3000) P(6, 500, 2000) P(7, 1000, 1000) P(8, 1024, 1000) P(9, 2000, 800)          \
	P(10, 4000, 500) P(11, 4096, 400) P(12, 8000, 200) P(13, 10000, 200) P(14, 16384, 100)     \
	P(15, 20000, 80) P(16, 32768, 40) P(17, 50000, 20) P(18, 70000, 10) P(19, 80000, 8)

static enum { BY_MALLOC, BY_POOL, BY_REQUESTS, BY_MACROS } how;
static int uses_realloc;
static const char *early_command;
static __thread void *kept[20][BLOCKS_MOST];

static __thread void *volatile sink;

/* ---- an allocator that nobody knows ------------------------------------------------------- */

#define POOL_BYTES ((size_t)256 << 20)

static char *pool;

/* Each block has an address of its own. */
static void *carve(size_t size)
{
	static size_t used;
	size_t at = __atomic_fetch_add(&used, (size + 16) & -16UL, __ATOMIC_RELAXED);

	if (at + size >= POOL_BYTES)
		abort();
	return pool + at;
}

NOINLINE void *pool_take(size_t size);
NOINLINE void *pool_take(size_t size)
{
	return carve(size);
}

NOINLINE void pool_give(void *block);
NOINLINE void pool_give(void *block)
{
	static size_t given;

	/* Code of a few bytes cannot be changed. */
	if (block)
		__atomic_fetch_add(&given, 1, __ATOMIC_RELAXED);
}

static void give_back(void *block)
{
	if (how == BY_POOL)
		pool_give(block);
	else if (how == BY_REQUESTS)
		MEMUSAGE_FREELIKE_BLOCK(block);
	else if (how == BY_MACROS)
		VALGRIND_FREELIKE_BLOCK(block, 0);
	else
		free(block);
}

/* ---- places ------------------------------------------------------------------------------- */

#define PLACE(n, size, count)                                                                      \
	NOINLINE void *place_##n(void);                                                            \
	NOINLINE void *place_##n(void)                                                             \
	{                                                                                          \
		void *block = NULL;                                                                \
		if (how == BY_MALLOC)                                                              \
			block = malloc(size);                                                      \
		else                                                                               \
			block = how == BY_POOL ? pool_take(size) : carve(size);                    \
		if (how == BY_REQUESTS)                                                            \
			MEMUSAGE_MALLOCLIKE_BLOCK(block, size);                                    \
		if (how == BY_MACROS)                                                              \
			VALGRIND_MALLOCLIKE_BLOCK(block, size, 0, 0);                              \
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

static void run_early_command(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (setenv("PID", pid, 1) < 0 || system(early_command) != 0)
		exit(1);
}

/* Every second block is freed, in another order than that of the allocations. */
static void *fill_all_places(void *unused)
{
	(void)unused;
	for (int i = 0; i < BLOCKS_MOST; i++) {
		if (i == EARLY && early_command)
			run_early_command();
		for (int p = 0; p < 20; p++)
			if (i < places[p].count)
				kept[p][i] = places[p].make();
	}
	for (int p = 0; p < 20; p++)
		for (int i = places[p].count - 1; i >= 0; i--)
			if (i % 2)
				give_back(kept[p][i]);
	return NULL;
}

static void print_truth(int times)
{
	for (int p = 0; p < 20; p++) {
		long all = (long)places[p].count * times, live = all - places[p].count / 2 * times;

		long early = (places[p].count < EARLY ? places[p].count : EARLY) * (long)times;

		printf("place_%s %ld %ld %ld %ld %ld\n", places[p].name,
		       live * (long)places[p].size, live, all * (long)places[p].size, all,
		       early * (long)places[p].size);
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

/* In our memory. */
static void run_vforked(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			fill_all_places(NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Nothing tells the recorder of the child. */
static void run_cloned(int count)
{
	for (int i = 0; i < count; i++)
		if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
			fill_all_places(NULL);
			_exit(0);
		}
}

static void choose_how(const char *text)
{
	if (!strcmp(text, "pool"))
		how = BY_POOL;
	else if (!strcmp(text, "requests"))
		how = BY_REQUESTS;
	else if (!strcmp(text, "macros"))
		how = BY_MACROS;
	if (how == BY_MACROS && !HAS_MACROS) {
		puts("no headers");
		exit(0);
	}
	if (how != BY_MALLOC)
		pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int main(int argc, char **argv)
{
	int threads = 0, children = 0, vforked = 0, cloned = 0;

	if (argc > 1 && !strcmp(argv[1], "swing")) {
		swing();
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "early"))
		early_command = argv[2];
	else if (argc > 1)
		choose_how(argv[1]);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "realloc"))
			uses_realloc = 1;
		else if (!strcmp(argv[i], "threads"))
			threads = atoi(argv[++i]);
		else if (!strcmp(argv[i], "fork"))
			children = atoi(argv[++i]);
		else if (!strcmp(argv[i], "vfork"))
			vforked = atoi(argv[++i]);
		else if (!strcmp(argv[i], "raw"))
			cloned = atoi(argv[++i]);
	}
	run_vforked(vforked);
	run_cloned(cloned);
	if (uses_realloc)
		grow_blocks(500);
	else if (threads)
		run_threads(threads);
	else if (children + vforked + cloned == 0)
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
		print_truth(threads + vforked ? threads + vforked : 1);
	return 0;
}
