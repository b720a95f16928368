/* triggers.c -- automatic snapshots, at thresholds and by a signal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/triggers.h"

#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/tables/present_snapshot.h"
#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack_sum.h"
#include "recording/triggers.h"

struct condition {
	enum mu_watch kind;
	int64_t above; /* met beyond it ... */
	int64_t again; /* ... if the quantity has not been larger than this since */
	bool is_met;
};

static struct {
	struct condition condition[MU_WATCHES];
	unsigned int count;
} watched;

static struct mu_triggers *image_triggers(void)
{
	return rec.image->triggers ? arena_at(rec.image->triggers) : NULL;
}

void triggers_forked(void)
{
	struct mu_triggers *t = image_triggers();

	if (!t)
		return;
	t->taken = t->done = t->signals = t->wanted = 0;
}

/* Under the lock. */
static bool take_snapshot(struct mu_triggers *t, uint32_t why)
{
	struct mu_trigger *entry = &t->entry[t->taken % MU_TRIGGERS];

	if (t->taken - __atomic_load_n(&t->done, __ATOMIC_ACQUIRE) >= MU_TRIGGERS)
		return false;
	if (!present_snapshot_take(&entry->snapshot, &entry->room, &entry->capacity))
		return false;
	entry->why = why;
	__atomic_store_n(&t->taken, t->taken + 1, __ATOMIC_RELEASE);
	return true;
}

struct quantities {
	int64_t of[MU_WATCH_STACKS + 1];
};

static struct quantities measure_quantities(void)
{
	const struct mu_heap *heap = &rec.image->heap;
	int64_t now = __atomic_load_n(&heap->now, __ATOMIC_RELAXED), stacks = stack_sum_now();

	return (struct quantities){ {
		[MU_WATCH_HEAP] = now - heap->ignored,
		[MU_WATCH_TOTAL] = now + heap->extra + stacks,
		[MU_WATCH_STACKS] = stacks,
	} };
}

static bool is_condition_changing(const struct condition *c, const struct quantities *q)
{
	if (c->kind > MU_WATCH_STACKS)
		return false;
	return c->is_met ? q->of[c->kind] <= c->again : q->of[c->kind] > c->above;
}

/* Under the lock. Returns the bits of the conditions that are met now and were not before. */
static uint32_t update_conditions(const struct quantities *q)
{
	uint32_t why = 0;

	for (unsigned int i = 0; i < watched.count; i++) {
		if (!is_condition_changing(&watched.condition[i], q))
			continue;
		watched.condition[i].is_met = !watched.condition[i].is_met;
		if (watched.condition[i].is_met)
			why |= UINT32_C(1) << i;
	}
	return why;
}

/* Returns whether a snapshot takes at most 0.4 ms. A longer pause could disturb the program. */
static bool is_snapshot_quick(void)
{
	uint64_t cells = __atomic_load_n(&rec.image->table[MU_SEC_CELLS].count, __ATOMIC_ACQUIRE);

	return cells <= SNAPSHOTS_REQUEST_CELLS && !(gate.mode & MODE_STOP);
}

/* A thread that finds the lock taken tries again at its next event. */
static void cross_thresholds(struct mu_triggers *t, const struct quantities *q)
{
	uint32_t why;

	if (!spin_try(&locks.triggers))
		return;
	why = update_conditions(q);
	bool is_left = why && !is_snapshot_quick();
	bool taken = why && !is_left && take_snapshot(t, why);
	spin_unlock(&locks.triggers);
	/* The collector takes one snapshot for all crossings since its last look. */
	bool is_lost = is_left ? __atomic_fetch_or(&t->wanted, why, __ATOMIC_RELEASE) & why :
				 why && !taken;
	if (taken || is_left)
		recorder_wake();
	if (is_lost)
		count_drop(triggers);
}

/* snapshot_due.watch. Cost 7 ns; with a snapshot, 20 ns per cell. */
static void check_thresholds(void)
{
	struct mu_triggers *t = image_triggers();
	struct quantities q = measure_quantities();

	for (unsigned int i = 0; t && i < watched.count; i++)
		if (unlikely(is_condition_changing(&watched.condition[i], &q))) {
			cross_thresholds(t, &q);
			return;
		}
}

bool triggers_init(void)
{
	watched.count = 0;
	for (unsigned int i = 0; i < MU_WATCHES; i++) {
		uint64_t word = rec.segment->watch[i];
		int64_t threshold = MU_WATCH_THRESHOLD(word);
		enum mu_watch kind = (enum mu_watch)MU_WATCH_KIND(word);
		if (kind == MU_WATCH_NONE)
			break;
		watched.condition[watched.count++] = (struct condition){
			.kind = kind, .above = threshold, .again = MU_WATCH_AGAIN(threshold) };
		if (kind <= MU_WATCH_STACKS)
			snapshot_due.watch = check_thresholds;
	}
	if (!watched.count && !rec.segment->config.snapshot_signal)
		return true;
	rec.image->triggers = arena_alloc(sizeof(struct mu_triggers), 64);
	return rec.image->triggers != 0;
}

void triggers_signal(void)
{
	struct thread *thread = hook_enter();
	struct mu_triggers *t = gate.on ? image_triggers() : NULL;
	bool taken = false;

	if (!t)
		goto out;
	if (thread && is_snapshot_quick() && spin_try(&locks.triggers)) {
		taken = take_snapshot(t, MU_TRIGGER_SIGNAL);
		spin_unlock(&locks.triggers);
	}
	if (!taken)
		__atomic_fetch_add(&t->signals, 1, __ATOMIC_RELEASE);
	recorder_wake();
out:
	if (thread)
		hook_leave(thread);
}
