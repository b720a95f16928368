/* tree_memory.c -- Sample the memory of the processes of a tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_memory.h"

#include <unistd.h>

#include "memusage/collector/tree.h"
#include "memusage/collector/tree_image.h"
#include "memusage/collector/tree_snapshots.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/common/procmem.h"
#include "memusage/common/wire.h"

/* A short run needs more than a few samples, and a long one must cost nothing. A sample takes 10 to
 * 40 us: without the share of each process a service of a hundred of them took 4 % of a processor
 * for ever. */
#define EARLY_NS UINT64_C(20000000)
#define EARLY_UNTIL_NS UINT64_C(2000000000)
#define EARLY_SHARE_NS UINT64_C(4000000)
#define LATE_NS UINT64_C(100000000)
#define LATE_SHARE_NS UINT64_C(10000000)

static uint64_t page_up(uint64_t bytes)
{
	return bytes > INT64_MAX / 4 ? 0 : (bytes + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}

static void add_counters(struct mu_sample *s, const struct mu_counters *c)
{
	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		s->events += c->calls[fn];
	s->mapped += c->bytes[MU_FN_MMAP_R] + c->bytes[MU_FN_MMAP_W] + c->bytes[MU_FN_MMAP_A] +
		     c->bytes[MU_FN_MREMAP] - c->bytes[MU_FN_MUNMAP];
}

/* Adds the recorder's figures of heap, stacks and events. */
static void add_recorder_figures(struct mu_sample *s, const struct image *im)
{
	uint64_t threads = image_count(im, MU_SEC_THREADS), stack = 0;

	add_counters(s, &im->head.retired);
	for (uint64_t i = 0; i < threads; i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES) ||
		    t.state == MU_THREAD_FREE)
			continue;
		s->heap = (int64_t)((uint64_t)s->heap + (uint64_t)t.pending_heap);
		stack += page_up(t.stack_peak > t.stack_mark ? t.stack_peak : t.stack_mark);
		add_counters(s, &t.counters);
	}
	/* The sum of forged stacks may overflow. */
	s->stack = (int64_t)stack < 0 ? 0 : (int64_t)stack;
	if ((int64_t)s->mapped < 0)
		s->mapped = 0;
}

/* The first thread may have ended. */
static bool read_memory(struct process *p, struct procmem *m)
{
	int fd;

	if (procmem_read(p->memory_fd, m))
		return true;
	fd = process_is_dead(p) ? -1 : procmem_open(p->pid);
	if (fd < 0)
		return false;
	close(p->memory_fd);
	p->memory_fd = fd;
	return procmem_read(fd, m);
}

static void take_sample(struct tree *t, struct process *p, const struct image *im, uint64_t now)
{
	struct mu_sample s = {
		.mono_ns = now,
		.heap = im->head.heap.now,
		.recorder = im->head.populated + im->head.log_bytes + 2 * MU_PAGE,
		.recorder_anon = im->head.recorder_private,
	};
	struct procmem m;

	if (!read_memory(p, &m))
		return;
	chroots_add(&t->s->chroots, p->pid);
	add_recorder_figures(&s, im);
	s.rss_anon = m.rss_anon;
	s.rss_file = m.rss_file;
	s.rss_shmem = m.rss_shmem;
	s.swap = m.swap;
	p->rss_anon = m.rss_anon;
	samples_add(&p->samples, &s);
	p->samples.rss_peak = m.rss_peak;
	tree_image_keep(p);
	tree_snapshots_check_sample(t, p, im, &s, m.rss_peak);
}

static uint64_t greater_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Thresholds that only samples reveal need more samples; but adding up 100,000 places must not cost
 * more than one percent of a processor. */
static uint64_t sample_interval_ns(const struct tree *t, const struct process *p, uint64_t began)
{
	const struct trigger_settings *s = &t->s->settings->triggers;
	bool is_early = began - p->memory_began_ns < EARLY_UNTIL_NS ||
			triggers_watches(s, MU_WATCH_RSS) || triggers_watches(s, MU_WATCH_BLOCKS);
	uint64_t least = 100 * (clock_now(CLOCK_MONOTONIC) - began);

	if (!is_early)
		return greater_of(LATE_NS, t->sampled_processes * LATE_SHARE_NS);
	if (!triggers_watches(s, MU_WATCH_BLOCKS))
		least = EARLY_NS;
	return greater_of(greater_of(least, EARLY_NS), t->sampled_processes * EARLY_SHARE_NS);
}

void tree_memory_begin(struct tree *t, struct process *p, const struct image *im)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (!(p->arena->view.head.config.flags & MU_CFG_TIMELINE))
		return;
	tree_memory_forget(p);
	p->memory_fd = process_reserve_fds(procmem_open(p->pid));
	p->memory_began_ns = now;
	if (p->memory_fd < 0)
		return;
	t->sampled_processes++;
	take_sample(t, p, im, now);
	p->memory_due_ns = now + sample_interval_ns(t, p, now);
}

int tree_memory_sample_due(struct tree *t)
{
	uint64_t now, next = UINT64_MAX, sampled = 0;
	struct image im;

	if (!t->sampled_processes)
		return -1;
	now = clock_now(CLOCK_MONOTONIC);
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (!p->is_live || p->memory_fd < 0)
			continue;
		sampled++;
		if (now >= p->memory_due_ns && arena_image(p->arena, (uint32_t)p->slot, &im)) {
			take_sample(t, p, &im, now);
			p->memory_due_ns =
				clock_now(CLOCK_MONOTONIC) + sample_interval_ns(t, p, now);
		}
		next = p->memory_due_ns < next ? p->memory_due_ns : next;
	}
	t->sampled_processes = sampled;
	if (!sampled)
		return -1;
	return next > now ? (int)((next - now + 999999) / 1000000) : 0;
}

void tree_memory_sample_now(struct tree *t, struct process *p)
{
	struct image im;

	if (p->is_live && p->memory_fd >= 0 && arena_image(p->arena, (uint32_t)p->slot, &im))
		take_sample(t, p, &im, clock_now(CLOCK_MONOTONIC));
}

/* A process that is recorded for less than the time between two samples has two nevertheless: the
 * other one when it is seen first. */
void tree_memory_sample_last(struct tree *t, const struct wire *order)
{
	tree_scan(t);
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		tree_memory_sample_now(t, p);
		if (p->memory_fd >= 0)
			close(p->memory_fd);
		p->memory_fd = -1;
	}
	wire_send(t->s->wire, order);
}

void tree_memory_end(struct process *p, struct image *im)
{
	struct samples *all = &p->samples;
	struct mu_sample last;

	if (image_copy_entry(im, MU_SEC_TIMELINE, 0, &last, sizeof(last)) &&
	    (all->count == 0 || last.mono_ns >= all->item[all->count - 1].mono_ns))
		samples_add(all, &last);
	/* The process has noted its own at its exit. */
	if (all->rss_peak > im->rss_peak)
		im->rss_peak = all->rss_peak;
	image_replace(im, MU_SEC_TIMELINE, all->item, all->count, sizeof(*all->item));
}

void tree_memory_forget(struct process *p)
{
	if (p->memory_fd >= 0)
		close(p->memory_fd);
	p->memory_fd = -1;
	samples_free(&p->samples);
}
