/* remote_status.c -- The state of a process that is recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/base/memory.h"
#include "memusage/common/clock.h"
#include "memusage/common/escape.h"
#include "memusage/common/procmem.h"
#include "profile/read/result.h"

/* Prints the current memory according to the kernel. The memory of the process at its start is
 * unknown here, so its variables count as memory that malloc keeps. */
static void print_memory(pid_t pid, const struct image *im, const struct result *r)
{
	struct mu_sample sample = { .mono_ns = clock_now(CLOCK_MONOTONIC) };
	struct timeline t;
	struct memory_split split;
	struct procmem m;
	uint64_t stack = 0;
	int fd = procmem_open(pid);

	if (fd >= 0 && procmem_read(fd, &m)) {
		sample.rss_anon = m.rss_anon;
		sample.rss_file = m.rss_file;
		sample.rss_shmem = m.rss_shmem;
		sample.swap = m.swap;
		sample.heap = (int64_t)r->heap_now;
		sample.recorder = im->head.populated + im->head.log_bytes + 2 * MU_PAGE;
		sample.recorder_anon = im->head.recorder_private;
		for (uint32_t i = 0; i < r->thread_count; i++)
			stack += (r->thread[i].stack_peak + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
		sample.stack = (int64_t)stack;
		timeline_init(&t, im);
		t.sample = &sample;
		t.count = 1;
		timeline_split(&t, 0, &split);
		/* A single sample would assign everything else to variables. */
		split.spare += split.globals;
		split.globals = 0;
		memory_print_now(stdout, &split, m.rss_peak, &r->errors);
	}
	if (fd >= 0)
		close(fd);
}

/* An idle process has not served the last `start` or `stop` yet. */
static const char *describe_state(const struct live *l, const struct mu_image *head)
{
	const uint32_t waiting = __atomic_load_n(&l->shared->request, __ATOMIC_RELAXED);

	if (waiting == MU_REQUEST_START)
		return "begins with its next call (it is idle)";
	if (waiting == MU_REQUEST_STOP)
		return "stops with its next call (it is idle)";
	if (live_is_asleep(l))
		return "asleep (`start` begins it)";
	return head->stopped ? "stopped (`start` resumes it)" : "on";
}

static void print_recording(const struct contact *c, const struct image *im)
{
	char text[UNITS_LENGTH];
	const struct mu_image *head = &im->head;

	printf("recording: %s", describe_state(&c->live, head));
	if (head->features & MU_FEATURE(MU_SEC_CELLS))
		printf(", %" PRIu64 " places of allocation, %" PRIu64 " snapshots",
		       image_count(im, MU_SEC_SITES), image_count(im, MU_SEC_SNAPSHOTS));
	else
		fputs(", counting only: no call stacks", stdout);
	if (c->answer.collector)
		printf(", collector is process %d", c->answer.collector);
	printf(", uses %s\n", units_bytes(text, head->populated + head->log_bytes +
							head->recorder_private));
}

static void print_heap(const struct result *r)
{
	const double distance = r->sample_distance;
	char a[BOUNDS_LENGTH], b[BOUNDS_LENGTH], d[UNITS_LENGTH];

	printf("heap: %s live, peak %s, %s allocated in all, %" PRIu64 " calls\n",
	       bounds_bytes_text(a, &r->errors.live, (int64_t)r->heap_now, distance),
	       bounds_bytes_text(b, &r->errors.peak, (int64_t)r->heap_peak, distance),
	       units_bytes(d, counters_heap_total(&r->counters)), counters_calls(&r->counters));
}

int remote_status(const struct contact *c, pid_t pid)
{
	struct result *r = xmalloc(sizeof(*r));
	char text[UNITS_LENGTH], name[1024];
	struct mu_error err;
	struct image im;

	if (live_image(&c->live, &im, &err) < 0 || !live_is_current(&c->live)) {
		warn("process %d has ended", (int)pid);
		free(r);
		return -1;
	}
	result_take(r, &im);
	printf("process %d %s, recorded for %s\n", (int)pid,
	       escape_text(name, sizeof(name), r->name),
	       units_time(text, clock_now(CLOCK_MONOTONIC) - r->process.start_mono_ns));
	print_recording(c, &im);
	print_heap(r);
	print_memory(pid, &im, r);
	free(r);
	return fflush(stdout) == 0 ? 0 : -1;
}
