/* instructions.c -- counting instructions by the CPU's counter, or the emulator's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/instructions.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

static struct {
	uint64_t sum;
	const uint64_t *emulated; /* the emulator's count; NULL: no emulator counts */
} executed;

static __thread struct {
	const struct perf_event_mmap_page *page;
	uint64_t counted; /* of the page, as it was added to the sum last */
} thread_counter;

/* A counter has fewer bits than a word, and may be negative: the kernel starts it below zero to be
 * told of overflows. */
static int64_t sign_extended(uint64_t value, uint32_t bits)
{
	uint32_t unused = bits && bits < 64 ? 64 - bits : 0;

	return (int64_t)(value << unused) >> unused;
}

uint64_t instructions_read(const struct perf_event_mmap_page *from,
			   uint64_t (*read_counter)(uint32_t number))
{
	uint32_t serial, number;
	int64_t count;

	/* The kernel changes the page on this thread's CPU only, when it switches threads, moves
	 * the counter, or the counter overflows: so a second round is rare. */
	do {
		serial = __atomic_load_n(&from->lock, __ATOMIC_ACQUIRE);
		number = __atomic_load_n(&from->index, __ATOMIC_RELAXED);
		count = __atomic_load_n(&from->offset, __ATOMIC_RELAXED);
		if (number && from->cap_user_rdpmc)
			count += sign_extended(read_counter(number - 1), from->pmc_width);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&from->lock, __ATOMIC_ACQUIRE) != serial);
	return (uint64_t)count;
}

/* counter: type and event of perf_event_open(2), as mu_config.counter. */
static long open_cpu_counter(uint32_t counter)
{
	struct perf_event_attr event;

	memset(&event, 0, sizeof(event));
	event.size = sizeof(event);
	event.type = MU_COUNTER_TYPE(counter);
	event.config = MU_COUNTER_EVENT(counter);
	event.exclude_kernel = 1;
	event.exclude_hv = 1;
	return SYS5(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const struct perf_event_mmap_page *map_counter_page(uint32_t counter)
{
	long fd = open_cpu_counter(counter), mapping;

	if (sys_failed(fd))
		return NULL;
	mapping = SYS6(SYS_mmap, 0, MU_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	SYS1(SYS_close, fd);
	if (sys_failed(mapping))
		return NULL;
	memory_register((uint64_t)mapping, MU_PAGE);
	return (const struct perf_event_mmap_page *)mapping;
}

void instructions_attach(void)
{
	if (!instructions_by_cpu())
		return;
	if (thread_counter.page) /* the parent's */
		memory_unregister((uint64_t)thread_counter.page);
	thread_counter.page = sandbox.is_on ? NULL : map_counter_page(rec.segment->config.counter);
	thread_counter.counted = 0;
	if (!thread_counter.page)
		count_drop(counters);
}

/* If there are more events than counters, the kernel counts each for a part of the time. */
static bool was_always_counted(void)
{
	uint64_t enabled = thread_counter.page->time_enabled,
		 running = thread_counter.page->time_running;

	return enabled <= running || enabled - running < enabled / 1024;
}

void instructions_exit(void)
{
	if (thread_counter.page && !was_always_counted())
		count_drop(counters);
}

void instructions_detach(void)
{
	const struct perf_event_mmap_page *gone = thread_counter.page;

	if (!gone)
		return;
	instructions_update();
	instructions_exit();
	thread_counter.page = NULL;
	if (sandbox.is_on)
		return;
	memory_unregister((uint64_t)gone);
	SYS2(SYS_munmap, gone, MU_PAGE);
}

void instructions_emulated(const uint64_t *count)
{
	executed.emulated = count;
}

const uint64_t *instructions_sum(void)
{
	static const uint64_t none;

	if (instructions_by_cpu())
		return &executed.sum;
	return executed.emulated ? executed.emulated : &none;
}

void instructions_update(void)
{
	const struct perf_event_mmap_page *from = thread_counter.page;

	if (!from)
		return;
	/* Otherwise a handler that interrupts this would add the same instructions again. */
	thread_counter.page = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	uint64_t now = instructions_read(from, cpu_counter);
	__atomic_fetch_add(&executed.sum, now - thread_counter.counted, __ATOMIC_RELAXED);
	thread_counter.counted = now;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_counter.page = from;
}
