/* live_copy.c -- Copy the whole recording of a running process, as a kept recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/live_copy.h"

#include <stdlib.h>
#include <time.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "profile/read/batch.h"

enum {
	TRIES = 8, /* attempts to copy everything at one moment */
	PAUSE_NS = 200000
};

static int error_process_ended(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "the process has ended");
}

static uint64_t copy_cells(struct live_copy *c)
{
	uint64_t count = image_count(&c->image, MU_SEC_CELLS), i = 0;

	c->cell = xcalloc(count + 1, sizeof(*c->cell));
	while (i < count && batch_cell(&c->image, i, &c->cell[i]))
		i++;
	return i;
}

static uint64_t copy_threads(struct live_copy *c)
{
	uint64_t count = image_count(&c->image, MU_SEC_THREADS), i = 0;

	c->thread = xcalloc(count + 1, sizeof(*c->thread));
	for (; i < count; i++) {
		struct mu_thread *t = &c->thread[i];

		if (!image_copy_entry(&c->image, MU_SEC_THREADS, i, t, sizeof(*t)))
			break;
		c->in_flight += t->state != MU_THREAD_FREE && t->busy != 0 &&
				t->busy != MU_BUSY_REQUEST;
	}
	return i;
}

/* Readers of a kept recording expect that all threads have published their changes of the heap. */
static void publish_pending_heap(struct live_copy *c, uint64_t threads)
{
	struct mu_heap *heap = &c->image.head.heap;

	for (uint64_t i = 0; i < threads; i++) {
		heap->now = (int64_t)((uint64_t)heap->now + (uint64_t)c->thread[i].pending_heap);
		c->thread[i].pending_heap = 0;
	}
}

static void free_tables(struct live_copy *c)
{
	free(c->cell);
	free(c->thread);
	c->cell = NULL;
	c->thread = NULL;
}

/* Makes one attempt to copy header, cells and threads at one moment. Returns -1 with ERR if there
 * is no image any more. */
static int copy_changing_tables(struct live_copy *c, const struct live *l, struct mu_error *err)
{
	uint64_t before, cells, threads;
	struct image after;

	if (live_image(l, &c->image, err) < 0)
		return -1;
	before = live_bytes_moved(&c->image);
	cells = copy_cells(c);
	threads = copy_threads(c);
	if (live_image(l, &after, err) < 0)
		return -1;
	c->moved = live_bytes_moved(&after) - before;
	/* Deferred frees were accounted for meanwhile, and may have been counted twice. */
	if (c->moved == 0 && c->image.batch.serial != after.batch.serial)
		c->moved = 1;
	image_replace(&c->image, MU_SEC_CELLS, c->cell, cells, sizeof(*c->cell));
	image_replace(&c->image, MU_SEC_THREADS, c->thread, threads, sizeof(*c->thread));
	c->image.batch.count = c->image.batch.done = 0;
	publish_pending_heap(c, threads);
	return 0;
}

static bool is_better(const struct live_copy *a, const struct live_copy *b)
{
	return a->moved < b->moved || (a->moved == b->moved && a->in_flight < b->in_flight);
}

/* Keeps the attempt during which least changed. */
static int copy_at_one_moment(struct live_copy *c, const struct live *l, struct mu_error *err)
{
	const struct timespec pause = { 0, PAUSE_NS };

	for (int i = 0; i < TRIES && (i == 0 || c->moved > 0 || c->in_flight > 0); i++) {
		struct live_copy other = { .has_places = false };

		if (i > 0)
			nanosleep(&pause, NULL);
		if (copy_changing_tables(&other, l, err) < 0) {
			free_tables(&other);
			return -1;
		}
		if (i == 0 || is_better(&other, c)) {
			free_tables(c);
			*c = other;
		} else {
			free_tables(&other);
		}
	}
	return 0;
}

/* Cells may name sites that are younger than the header. These tables are only appended to. */
static int take_later_tables(struct live_copy *c, const struct live *l, struct mu_error *err)
{
	static const enum mu_section grows[] = { MU_SEC_MODULES, MU_SEC_FRAMES, MU_SEC_STACKS,
						 MU_SEC_SITES };
	struct image later;

	if (live_image(l, &later, err) < 0)
		return -1;
	c->image.head.features |= later.head.features;
	for (size_t i = 0; i < sizeof(grows) / sizeof(*grows); i++)
		c->image.head.table[grows[i]] = later.head.table[grows[i]];
	return 0;
}

static void replace_collected_tables(struct live_copy *c, const struct live_snapshots *shots,
				     const struct samples *samples)
{
	image_replace(&c->image, MU_SEC_SNAPSHOTS, shots->item, shots->count,
		      sizeof(*shots->item));
	c->image.outside = shots->values;
	c->image.outside_size = shots->values_size;
	if (!samples)
		return;
	image_replace(&c->image, MU_SEC_TIMELINE, samples->item, samples->count,
		      sizeof(*samples->item));
	c->image.rss_peak = samples->rss_peak;
}

int live_copy_take(struct live_copy *c, struct live *l, const struct samples *samples,
		   struct mu_error *err)
{
	struct live_snapshots shots;
	int result = -1;

	*c = (struct live_copy){ .has_places = false };
	if (live_snapshot_copy_all(&shots, l, err) == 0 && copy_at_one_moment(c, l, err) == 0)
		result = take_later_tables(c, l, err);
	c->snapshots = shots;
	c->has_places = c->image.head.features & MU_FEATURE(MU_SEC_CELLS);
	/* "The end" of a process that still runs is the moment of its copy. */
	c->image.head.end = MU_END_RUNNING;
	c->image.head.process.exit_mono_ns = clock_now(CLOCK_MONOTONIC);
	replace_collected_tables(c, &c->snapshots, samples);
	return live_is_current(l) ? result : error_process_ended(err);
}

/* Snapshots that are culled meanwhile may be missing, or be there twice: for a curve that does not
 * matter. */
static void copy_snapshot_figures(struct live_copy *c)
{
	struct live_snapshots *s = &c->snapshots;
	const uint64_t count = image_count(&c->image, MU_SEC_SNAPSHOTS);

	s->item = xcalloc(count + 1, sizeof(*s->item));
	while (s->count < count && image_snapshot(&c->image, s->count, &s->item[s->count])) {
		struct mu_snapshot *one = &s->item[s->count++];

		one->values = one->value_count = one->packed = one->packed_bytes = 0;
		one->name = (struct mu_string){ .offset = 0 };
	}
}

int live_copy_look(struct live_copy *c, struct live *l, bool has_history,
		   const struct samples *samples, struct mu_error *err)
{
	const uint64_t shown = MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
			       MU_FEATURE(MU_SEC_THREADS) | MU_FEATURE(MU_SEC_MODULES) |
			       MU_FEATURE(MU_SEC_FRAMES) | MU_FEATURE(MU_SEC_STACKS) |
			       MU_FEATURE(MU_SEC_SITES) | MU_FEATURE(MU_SEC_CELLS) |
			       MU_FEATURE(MU_SEC_SNAPSHOTS) | MU_FEATURE(MU_SEC_DROPS) |
			       (samples ? MU_FEATURE(MU_SEC_TIMELINE) : 0) |
			       (has_history ? MU_FEATURE(MU_SEC_MARKS) : 0);

	*c = (struct live_copy){ .has_places = false };
	if (copy_at_one_moment(c, l, err) < 0 || take_later_tables(c, l, err) < 0)
		return live_is_current(l) ? -1 : error_process_ended(err);
	c->has_places = c->image.head.features & MU_FEATURE(MU_SEC_CELLS);
	c->image.head.features &= shown;
	c->image.head.lifetimes = 0;
	c->image.head.end = MU_END_RUNNING;
	c->image.head.process.exit_mono_ns = clock_now(CLOCK_MONOTONIC);
	if (has_history)
		copy_snapshot_figures(c);
	/* Entries of our own stand for the table, even if there are none. */
	if (!c->snapshots.item)
		c->snapshots.item = xcalloc(1, sizeof(*c->snapshots.item));
	replace_collected_tables(c, &c->snapshots, samples);
	return live_is_current(l) ? 0 : error_process_ended(err);
}

int live_copy_save(struct live_copy *c, const struct live *l, pid_t pid, struct save *keep,
		   struct mu_error *err)
{
	struct mu_slot slot = { .state = MU_SLOT_FREE };
	int result;

	segment_slot(&l->view, l->slot, &slot);
	slot.pid = (uint32_t)pid;
	result = save_add(keep, &c->image, &slot, err);
	return result == 0 && !live_is_current(l) ? error_process_ended(err) : result;
}

void live_copy_free(struct live_copy *c)
{
	free_tables(c);
	live_snapshot_free(&c->snapshots);
	*c = (struct live_copy){ .has_places = false };
}
