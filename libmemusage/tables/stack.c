/* stack.c -- bounds and high-water marks of stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/stack.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#define MAIN_MIN (UINT64_C(128) << 20) /* the kernel maps nothing nearer below the main stack */
#define THREAD_SIZE (UINT64_C(8) << 20) /* of a thread's stack, if unknown */
#define UNLIMITED_SIZE (UINT64_C(4) << 30)
#define CHUNK 64u /* pages per mincore() */

extern void *__libc_stack_end __attribute__((weak));

static uint64_t main_stack_limit(void)
{
	uint64_t limit[2];

	if (sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_STACK, 0, limit)))
		return MAIN_MIN;
	return limit[0] == (uint64_t)-1 ? UNLIMITED_SIZE : limit[0];
}

static uint64_t main_stack_size(void)
{
	uint64_t limit = main_stack_limit();

	return limit < MAIN_MIN ? MAIN_MIN : limit;
}

static uint64_t sure_main_low(uint64_t base)
{
	uint64_t limit = main_stack_limit();

	if (!&__libc_stack_end || base != (uint64_t)__libc_stack_end)
		return 0;
	return base - (limit < MAIN_MIN ? limit : MAIN_MIN);
}

/* A stack that libc's pthread_create() has made contains the thread's structure, less than a page,
 * at its top. */
static uint64_t sure_low(uint64_t base, uint64_t size, bool is_main, bool is_guess)
{
	uint64_t pointer = cpu_thread_pointer();

	if (is_main)
		return sure_main_low(base);
	return !is_guess && pointer - base < size ? pointer + MU_PAGE - size : 0;
}

void stack_find(struct thread *thread, uint64_t base, uint64_t size)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	bool is_main = sys_gettid() == sys_getpid(), is_guess = !size;

	if (!size)
		size = is_main ? main_stack_size() : THREAD_SIZE;
	if (!base && is_main && &__libc_stack_end)
		base = (uint64_t)__libc_stack_end;
	/* glibc has the thread's structure at the top of every stack that it allocates. */
	if (!base && cpu_thread_pointer() - here < size)
		base = cpu_thread_pointer();
	if (!base || base < here)
		base = here;
	thread->pub.stack_base = base;
	thread->pub.stack_size = size;
	thread->stack_low = sure_low(base, size, is_main, is_guess);
}

void stack_deeper(struct thread *thread, uint64_t depth)
{
	if (depth <= thread->pub.stack_size)
		thread->pub.stack_peak = depth;
}

/* The lowest resident page in [low, high), 0 if none. Sets *end if not all of it is mapped. */
static uint64_t lowest_resident_page(uint64_t low, uint64_t high, bool *end)
{
	unsigned char resident[CHUNK];
	uint64_t pages = (high - low) / MU_PAGE;

	while (pages) {
		long result = SYS3(SYS_mincore, low, pages * MU_PAGE, resident);
		if (result != -ENOMEM)
			break;
		*end = true;
		low += MU_PAGE;
		pages--;
	}
	for (uint64_t i = 0; i < pages; i++)
		if (resident[i] & 1)
			return low + i * MU_PAGE;
	return 0;
}

void stack_mark(struct thread *thread)
{
	uint64_t page = MU_PAGE;
	uint64_t base = thread->pub.stack_base;
	uint64_t high = ((uint64_t)__builtin_frame_address(0) & -page) + page;
	uint64_t floor = base - thread->pub.stack_size;
	uint64_t lowest = high - page;
	bool end = false;

	if (sandbox.is_on || high > base + page || high - page < floor)
		return; /* mincore() may be forbidden; or we are on another stack */
	while (!end && high > floor && high >= CHUNK * page) {
		uint64_t low = high - CHUNK * page < floor ? (floor + page - 1) & -page
							   : high - CHUNK * page;
		if (low >= high)
			break;
		uint64_t found = lowest_resident_page(low, high, &end);
		if (found)
			lowest = found;
		high = low;
	}
	if (base - lowest > thread->pub.stack_mark)
		thread->pub.stack_mark = base - lowest;
}
