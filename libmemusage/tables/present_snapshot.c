/* present_snapshot.c -- the state of the heap at this moment, which is not part of the series.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/present_snapshot.h"

#include "libmemusage/base/clock.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack_sum.h"

/* The array with the values of the snapshot that another process asked for. */
static struct {
	uint64_t room; /* its offset in the image */
	uint32_t capacity;
} published;

/* Adds the pending changes of a thread. */
static void add_pending_changes(struct thread *thread, void *data)
{
	struct mu_snapshot *s = data;

	s->heap += thread->pub.pending_heap - thread->pending_ignored;
	s->extra += thread->pending_extra + thread->pending_ignored;
	s->clock_bytes += thread->pending_clock;
}

/* Writes the values into an array that grows, and is never freed. */
static void put_site_values(struct mu_snapshot *s, uint64_t *room, uint32_t *capacity)
{
	uint64_t used;

	if (!site_totals_add_up(&s->sites, &used))
		return;
	if (used > *capacity) {
		/* Each new page costs 1 to 7 us. */
		uint64_t count = used + used / 4;
		*room = arena_alloc(count * sizeof(struct mu_site_value), 64);
		*capacity = *room ? (uint32_t)count : 0;
	}
	s->values = *room;
	s->value_count = site_totals_to_array(arena_at(*room), *capacity);
}

static struct mu_snapshot sum_of_now(void)
{
	const struct mu_heap *heap = &rec.image->heap;
	struct mu_snapshot s = { .mono_ns = clock_kernel_ns(CLOCK_MONOTONIC, coarse_clock_ns()),
				 .heap = heap->now - heap->ignored,
				 .extra = heap->extra + heap->ignored,
				 .stacks = stack_sum_now(),
				 .clock_bytes = heap->clock,
				 .kind = MU_SNAPSHOT_REQUESTED };

	thread_for_each(add_pending_changes, &s);
	return s;
}

bool present_snapshot_take(struct mu_snapshot *s, uint64_t *room, uint32_t *capacity)
{
	if (!spin_lock(&locks.snapshots))
		return false;
	*s = sum_of_now();
	put_site_values(s, room, capacity);
	spin_unlock(&locks.snapshots);
	return s->values || !s->heap;
}

/* The image may be another one than at the last call: that of a raw clone()'s child. */
static struct mu_snapshot *find_or_make_published(void)
{
	if (!rec.image->requested) {
		rec.image->requested = arena_alloc(sizeof(struct mu_snapshot), 64);
		published.room = published.capacity = 0;
	}
	return rec.image->requested ? arena_at(rec.image->requested) : NULL;
}

void present_snapshot_publish(bool detailed)
{
	uint64_t cells = __atomic_load_n(&section_table(MU_SEC_CELLS)->count, __ATOMIC_ACQUIRE);

	if (!spin_lock(&locks.snapshots))
		return;
	struct mu_snapshot *s = find_or_make_published();
	if (s) {
		*s = sum_of_now();
		if (detailed && snapshot_due.is_on && cells <= SNAPSHOTS_REQUEST_CELLS)
			put_site_values(s, &published.room, &published.capacity);
	}
	spin_unlock(&locks.snapshots);
}
