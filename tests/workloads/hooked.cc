/* hooked.cc -- reads and writes where hooks have a hard time, known to the last byte.
 *
 *	hooked MODE [LIBRARY]
 *
 * Prints "place NAME reads=N writes=N counts=any", which is what tests/lib/accesses.py compares.
 * Modes: throw (exceptions through frames that touch blocks), wide (atomic operations of 16
 * bytes), fork (parent and child have a profile each: the child's is the last part of its name),
 * threads (which end in three ways), library (opened and closed again and again), handler (which
 * touches much while the program allocates), leave (by siglongjmp from a handler).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/lib/workload.h"

#define NOINLINE __attribute__((noinline, noclone))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

typedef unsigned long long number;

static void say_place(const char *name, number reads, number writes)
{
	say("place %s reads=%llu writes=%llu counts=any", name, reads, writes);
}

/* ---- exceptions ---------------------------------------------------------------------------- */

struct Thrown {
	volatile uint64_t value[4];
};

NOINLINE static volatile uint32_t *place_thrown(void)
{
	return (volatile uint32_t *)malloc(64);
}

struct Guard { /* touches when a frame is left */
	volatile uint32_t *block;
	~Guard() { block[1] = block[0]; }
};

NOINLINE static void descend(volatile uint32_t *block, int depth)
{
	Guard guard = { block };

	block[2] += 1;
	if (!depth)
		throw std::runtime_error("enough");
	descend(block, depth - 1);
}

static void mode_throw(void)
{
	number rounds = 500, frames = 8;
	volatile uint32_t *block = place_thrown();

	for (number i = 0; i < rounds; i++) {
		try {
			descend(block, (int)frames - 1);
		} catch (const std::exception &e) {
			block[3] = e.what()[0] == 'e';
			check((int)block[3], "the exception arrived");
		}
	}
	free((void *)block);
	/* A frame: [2] read and written, [0] read, [1] written. */
	say_place("place_thrown", rounds * (frames * 8 + 4), rounds * (frames * 8 + 4));
}

/* ---- 16 bytes ------------------------------------------------------------------------------ */

#ifdef WIDE /* gcc, or clang -mcx16: otherwise libatomic works, unseen */
typedef unsigned __int128 wide;

NOINLINE static wide *place_wide(void)
{
	return (wide *)aligned_alloc(16, 16);
}

static const int adds = 2000;

static void *add_all(void *at)
{
	wide *p = (wide *)at, one = (wide)1 << 64 | 1;

	for (int i = 0; i < adds; i++)
		__atomic_fetch_add(p, one, __ATOMIC_SEQ_CST);
	return NULL;
}

static void mode_wide(void)
{
	pthread_t thread[4];
	wide *p = place_wide(), want;

	__atomic_store_n(p, (wide)0, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, add_all, p);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	want = (wide)(4 * adds) << 64 | (4 * adds);
	check(__atomic_load_n(p, __ATOMIC_ACQUIRE) == want, "atomic additions of 16 bytes");
	check(__atomic_exchange_n(p, (wide)7, __ATOMIC_SEQ_CST) == want, "exchange");
	want = 8;
	check(!__atomic_compare_exchange_n(p, &want, (wide)9, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED) && want == 7, "compare, unequal");
	check(__atomic_compare_exchange_n(p, &want, (wide)9, false, __ATOMIC_SEQ_CST,
					  __ATOMIC_RELAXED), "compare, equal");
	check(__atomic_fetch_sub(p, (wide)1, __ATOMIC_SEQ_CST) == 9, "subtraction");
	check(__atomic_fetch_and(p, (wide)12, __ATOMIC_SEQ_CST) == 8, "and");
	check(__atomic_fetch_or(p, (wide)3, __ATOMIC_SEQ_CST) == 8, "or");
	check(__atomic_fetch_xor(p, (wide)1, __ATOMIC_SEQ_CST) == 11, "xor");
	check(__atomic_fetch_nand(p, (wide)2, __ATOMIC_SEQ_CST) == 10, "nand");
	check(__atomic_load_n(p, __ATOMIC_SEQ_CST) == ~(wide)2, "what is left");
	free(p);
	/* Loads 2, stores 1, what is both 4 * adds + 8. */
	say_place("place_wide", 16 * (4ull * adds + 8 + 2), 16 * (4ull * adds + 8 + 1));
}
#else
static void mode_wide(void) { }
#endif

/* ---- processes and threads ----------------------------------------------------------------- */

NOINLINE static volatile uint64_t *place_forked(void)
{
	return (volatile uint64_t *)calloc(1, 80);
}
NOINLINE static volatile uint64_t *place_child(void)
{
	return (volatile uint64_t *)calloc(1, 88); /* or it would be the same function */
}

static void touch(volatile uint64_t *block, number times)
{
	for (number i = 0; i < times; i++)
		block[i % 10] += 1;
}

/* A child's profile goes on from its parent's. */
static void mode_fork(void)
{
	volatile uint64_t *block = place_forked();

	touch(block, 1000);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		if (!child) {
			volatile uint64_t *own = place_child();
			touch(block, 500);
			touch(own, 70);
			free((void *)own);
			say("process %d", (int)getpid());
			say_place("place_forked", 8 * (1500 + 10 * (number)i),
				  8 * (1500 + 10 * (number)i));
			say_place("place_child", 8 * 70, 8 * 70);
			exit(0);
		}
		waitpid(child, NULL, 0);
		touch(block, 10);
	}
	say("process %d", (int)getpid());
	say_place("place_forked", 8 * 1030, 8 * 1030);
	say_place("place_child", 0, 0);
}

NOINLINE static volatile uint64_t *place_thread(void)
{
	return (volatile uint64_t *)malloc(80);
}

static pthread_key_t key;

/* After the thread's function, as late as a program's own code gets. */
static void at_end(void *block)
{
	touch((volatile uint64_t *)block, 100);
	free(block);
}

static void *short_life(void *how)
{
	volatile uint64_t *block = place_thread();

	pthread_setspecific(key, (void *)block);
	touch(block, 1000);
	if (how == (void *)1)
		pthread_exit(NULL);
	if (how == (void *)2) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	return NULL;
}

static void mode_threads(void)
{
	enum { ROUNDS = 40, AT_ONCE = 6 };

	pthread_key_create(&key, at_end);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread[AT_ONCE];
		for (int t = 0; t < AT_ONCE; t++)
			pthread_create(&thread[t], NULL, short_life, (void *)(intptr_t)(t % 3));
		for (int t = 0; t < AT_ONCE; t++)
			pthread_join(thread[t], NULL);
	}
	say_place("place_thread", 8ull * 1100 * ROUNDS * AT_ONCE, 8ull * 1100 * ROUNDS * AT_ONCE);
}

/* ---- a library that comes and goes --------------------------------------------------------- */

static void mode_library(const char *file)
{
	enum { ROUNDS = 20 };

	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(file, RTLD_NOW);
		check(library != NULL, "the library opens");
		int (*work)(int) = (int (*)(int))dlsym(library, "library_work");
		check(work && work(100) == 100, "it works");
		dlclose(library);
	}
	say_place("library_place", 4ull * 100 * ROUNDS, 4ull * 101 * ROUNDS);
}

/* ---- signal handlers ----------------------------------------------------------------------- */

enum { MUCH = 600 };
static volatile uint32_t *handled;
static volatile sig_atomic_t handler_runs, is_leaving;
static sigjmp_buf back;

NOINLINE static volatile uint32_t *place_handled(void)
{
	return (volatile uint32_t *)malloc(4 * MUCH);
}
NOINLINE static volatile uint32_t *place_around(void)
{
	return (volatile uint32_t *)malloc(40);
}

static void handler(int signal)
{
	(void)signal;
	for (int i = 0; i < MUCH; i++)
		handled[i] = handled[MUCH - 1 - i];
	handler_runs = handler_runs + 1;
	if (is_leaving)
		siglongjmp(back, 1);
}

static void timer(int us, int again_us)
{
	struct itimerval value = { { 0, again_us }, { 0, us } };

	setitimer(ITIMER_REAL, &value, NULL);
}

static void mode_handler(void)
{
	number rounds = 0;

	handled = place_handled();
	for (int i = 0; i < MUCH; i++)
		handled[i] = 1;
	signal(SIGALRM, handler);
	/* One after the other: on a slow machine a handler takes longer than the interval, and those
	 * that interrupt the recorder would fill what it can defer. */
	for (int begun = -1; handler_runs < 100;) {
		if (begun != handler_runs) {
			begun = handler_runs;
			timer(200 + 7 * begun, 0);
		}
		volatile uint32_t *block = place_around();
		for (int i = 0; i < 10; i++)
			block[i] += 1;
		block = (volatile uint32_t *)realloc((void *)block, 40);
		block[0] = 1;
		free((void *)block);
		rounds++;
	}
	timer(0, 0);
	number runs = (number)handler_runs;
	say_place("place_handled", runs * 4 * MUCH, (runs + 1) * 4 * MUCH);
	say_place("place_around", rounds * 80, rounds * 84);
}

/* Whatever is interrupted is a touch of a block that is then done again: at least so many. */
static void mode_leave(void)
{
	volatile uint32_t *block = place_around();

	handled = place_handled();
	is_leaving = 1;
	signal(SIGALRM, handler);
	sigsetjmp(back, 1);
	while (handler_runs < 60) {
		/* Once: on a busy machine siglongjmp(), which lets signals in before it leaves, would meet the
		 * next one each time, and fill the stack. */
		timer(300, 0);
		for (;;)
			block[0] = block[1];
	}
	timer(0, 0);
	is_leaving = 0;
	number runs = (number)handler_runs;
	say_place("place_handled", runs * 4 * MUCH, runs * 4 * MUCH);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "throw") == 0)
		mode_throw();
	else if (strcmp(mode, "wide") == 0)
		mode_wide();
	else if (strcmp(mode, "fork") == 0)
		mode_fork();
	else if (strcmp(mode, "threads") == 0)
		mode_threads();
	else if (strcmp(mode, "library") == 0 && argc > 2)
		mode_library(argv[2]);
	else if (strcmp(mode, "handler") == 0)
		mode_handler();
	else if (strcmp(mode, "leave") == 0)
		mode_leave();
	else
		return 2;
	return 0;
}
