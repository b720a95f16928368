/* last_sample.c -- the memory of the process at its exit, for the timeline.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/last_sample.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/maps.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

#define STATUS_BYTES 8192

static char text[STATUS_BYTES]; /* used once, at the exit */

void last_sample_init(void)
{
	arena_table_init(MU_SEC_TIMELINE, sizeof(struct mu_sample), 0);
	rec.image->table[MU_SEC_TIMELINE].count = 0;
	rec.image->rss_peak = 0;
}

static bool read_status_file(void)
{
	long fd = maps_open_own_file("/proc/self/status", "/proc/thread-self/status", O_RDONLY);
	long got;

	if (sys_failed(fd))
		return false;
	got = SYS3(SYS_read, fd, text, sizeof(text) - 1);
	SYS1(SYS_close, fd);
	if (sys_failed(got))
		return false;
	text[got] = '\0';
	return got > 0;
}

/* RssAnon:	     136 kB */
static uint64_t parse_status_field(const char *name)
{
	const char *line = strstr(text, name);
	uint64_t value = 0;

	if (!line)
		return 0;
	line += strlen(name);
	while (*line == ' ' || *line == '\t')
		line++;
	for (; *line >= '0' && *line <= '9'; line++)
		value = value * 10 + (uint64_t)(*line - '0');
	return value * 1024;
}

struct sample_sums {
	int64_t heap, stack;
	uint64_t events, mapped;
};

static void add_call_sums(struct sample_sums *sums, const struct mu_counters *c)
{
	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		sums->events += c->calls[fn];
	sums->mapped += c->bytes[MU_FN_MMAP_R] + c->bytes[MU_FN_MMAP_W] +
			c->bytes[MU_FN_MMAP_A] + c->bytes[MU_FN_MREMAP] -
			c->bytes[MU_FN_MUNMAP];
}

static void add_thread_sums(struct thread *thread, void *data)
{
	const struct mu_thread *t = &thread->pub;
	struct sample_sums *sums = data;
	uint64_t touched = t->stack_peak > t->stack_mark ? t->stack_peak : t->stack_mark;

	sums->heap += t->pending_heap;
	sums->stack += (int64_t)((touched + MU_PAGE - 1) & -(uint64_t)MU_PAGE);
	add_call_sums(sums, &t->counters);
}

void last_sample_take(void)
{
	struct mu_table *table = &rec.image->table[MU_SEC_TIMELINE];
	struct mu_sample *sample = sandbox.is_on ? NULL : arena_table_at(table, 0);
	struct sample_sums sums = { .heap = rec.image->heap.now };

	if (!sample || !read_status_file())
		return;
	thread_for_each(add_thread_sums, &sums);
	add_call_sums(&sums, &rec.image->retired);
	*sample = (struct mu_sample){
		.mono_ns = clock_ns(CLOCK_MONOTONIC),
		.heap = sums.heap,
		.stack = sums.stack,
		.rss_anon = parse_status_field("\nRssAnon:"),
		.rss_file = parse_status_field("\nRssFile:"),
		.rss_shmem = parse_status_field("\nRssShmem:"),
		.swap = parse_status_field("\nVmSwap:"),
		.recorder = rec.image->populated + rec.image->log_bytes + 2 * MU_PAGE,
		.events = sums.events,
		.recorder_anon = rec.image->recorder_private,
		.mapped = (int64_t)sums.mapped > 0 ? sums.mapped : 0,
	};
	rec.image->rss_peak = parse_status_field("\nVmHWM:");
	__atomic_store_n(&table->count, 1, __ATOMIC_RELEASE);
}
