/* recorder_stack_bounds.c -- what is a thread's own stack for sure is nearly all of its stack, and
 * nothing else. If its size is a guess, nothing is sure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/stack.c"

#include <pthread.h>
#include <sys/mman.h>

#include "tests/lib/recorder.h"

static struct thread record;

static uint64_t stack_of_libc(uint64_t *end)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	*end = (uint64_t)low + size;
	return (uint64_t)low;
}

static void *find_in_thread(void *size)
{
	uint64_t end, low = stack_of_libc(&end), here = (uint64_t)__builtin_frame_address(0);

	stack_find(&record, here, (uint64_t)size);
	OK(record.stack_low >= low, "a stack of %lu bytes: no page below it", (unsigned long)size);
	OK(record.stack_low < low + 2 * MU_PAGE, "... nearly all of it");
	OK(record.pub.stack_base == here && here < end, "... up to the caller's frame");
	stack_find(&record, 0, 0);
	OK(!record.stack_low, "... nothing is sure without its size");
	return NULL;
}

static void test_threads(void)
{
	static const size_t sizes[] = { 64 << 10, 1 << 20, 8 << 20 };
	pthread_attr_t attr;
	pthread_t thread;

	for (unsigned i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		const size_t size = sizes[i / 2];
		void *own = i % 2 ? mmap(NULL, size, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) :
				    NULL;

		pthread_attr_init(&attr);
		if (own)
			pthread_attr_setstack(&attr, own, size);
		else
			pthread_attr_setstacksize(&attr, size);
		OK(!pthread_create(&thread, &attr, find_in_thread, (void *)size) &&
			   !pthread_join(thread, NULL),
		   "a thread, %s", own ? "on memory of the program" : "on memory of libc");
		pthread_attr_destroy(&attr);
	}
}

int main(void)
{
	uint64_t end, low = stack_of_libc(&end);

	stack_find(&record, 0, 0);
	OK(record.pub.stack_base == (uint64_t)__libc_stack_end, "the first thread's");
	/* The limit counts arguments and environment, too, which are above: a quarter of it at most. */
	OK(record.stack_low + (end - low) / 3 + MU_PAGE >= low || end - low > MAIN_MIN,
	   "... no page below it");
	OK(record.stack_low < (uint64_t)__builtin_frame_address(0), "... and what is in use");
	test_threads();
	return done_testing();
}
