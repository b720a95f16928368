/* gone_stacks.c -- allocates on stacks that go away, and on others that take their places.
 *
 *	gone_stacks SEED ROUNDS
 *
 * Each round takes a place out of a region of its own, puts a stack there in one of several ways,
 * runs on it as a thread, a coroutine or a signal handler, and takes it away again in one of several
 * ways: unmapped by libc's munmap or by a system call, mapped over, moved, made unreadable. Stacks
 * of 64 KiB to 4 MiB share the same 8 MiB, so what was a frame of one is soon in the middle of
 * another or nowhere. Prints what was allocated: "malloc calls=N bytes=N".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/lib/on_stack.h"

enum { REGION = 8 << 20, PAGE = 4096, SMALLEST = 64 << 10 };
/* Where the kernel puts nothing by itself: a gap stays a gap. */
#define PLACE ((void *)0x200000000000)

static unsigned char *region;
static unsigned long calls, bytes;
static unsigned long random_state;

static unsigned int random_below(unsigned int most)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(random_state >> 33) % most;
}

/* At the end of some frames, which are large now and then: they reach over pages. */
__attribute__((noinline)) static void allocate(unsigned int depth)
{
	unsigned char room[depth % 3 ? 64 : 3 * PAGE];

	room[0] = (unsigned char)depth;
	__asm__ volatile("" : : "r"(room) : "memory");
	for (unsigned int i = 0; i < 2; i++) {
		size_t size = 1 + random_below(200);
		void *block = malloc(size);

		calls++;
		bytes += size;
		if (depth)
			allocate(depth - 1);
		free(block);
	}
}

static void work(void)
{
	allocate(random_below(4));
}

/* ---- ways to run on a stack -------------------------------------------------------------- */

static void *thread(void *unused)
{
	work();
	return unused;
}

static void run_thread(void *stack, size_t size)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, size);
	if (pthread_create(&id, &attr, thread, NULL))
		abort();
	pthread_join(id, NULL);
	pthread_attr_destroy(&attr);
}

static void run_coroutine(void *stack, size_t size)
{
	run_as_coroutine(work, stack, size);
}

static ucontext_t main_context, coroutine;

/* A coroutine that another thread takes over in the middle. */
static void pause_in_the_middle(void)
{
	work();
	swapcontext(&coroutine, &main_context);
	work();
}

static ucontext_t second;

static void *go_on(void *unused)
{
	swapcontext(&second, &coroutine);
	return unused;
}

static void run_in_two_threads(void *stack, size_t size)
{
	pthread_t id;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = size;
	coroutine.uc_link = &second;
	makecontext(&coroutine, pause_in_the_middle, 0);
	swapcontext(&main_context, &coroutine);
	if (pthread_create(&id, NULL, go_on, NULL))
		abort();
	pthread_join(id, NULL);
}

static void run_handler(void *stack, size_t size)
{
	run_as_handler(work, stack, size);
}

/* ---- ways to take it away ---------------------------------------------------------------- */

static void take_away(unsigned char *stack, size_t size)
{
	size_t half = size / 2 & -(size_t)PAGE;
	void *elsewhere;

	switch (random_below(6)) {
	case 0:
		munmap(stack, size);
		break;
	case 1:
		syscall(SYS_munmap, stack, size);
		break;
	case 2: /* as one without access */
		mmap(stack, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		elsewhere = mremap(stack, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
				   region + REGION);
		munmap(elsewhere, size);
		break;
	case 4: /* the upper half alone, where the outer frames were */
		syscall(SYS_munmap, stack + half, size - half);
		break;
	default:
		mprotect(stack, size, PROT_NONE);
	}
}

static void round_once(void)
{
	static void (*const run[])(void *, size_t) = { run_thread, run_coroutine, run_in_two_threads,
						       run_handler };
	size_t size = (size_t)SMALLEST << random_below(7);
	size_t place = random_below((unsigned int)((REGION - size) / PAGE) + 1) * (size_t)PAGE;
	unsigned char *stack = mmap(region + place, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		abort();
	run[random_below(sizeof(run) / sizeof(run[0]))](stack, size);
	if (random_below(3))
		take_away(stack, size);
	work();
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 100;

	random_state = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	region = mmap(PLACE, 2 * REGION, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (region != PLACE)
		abort();
	while (rounds--)
		round_once();
	printf("malloc calls=%lu bytes=%lu\n", calls, bytes);
	return 0;
}
