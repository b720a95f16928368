/* snapshot_log.c -- the log of all snapshots.
 *
 * With several threads the counts are exact, but an offer may have the kind of another event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/snapshot_log.h"

#include <stddef.h>

#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"

#define FIRST_LOG2 6
#define ENTRIES_MAX (UINT64_C(1) << 20)
#define NUMBERS 2u /* entries that are numbers */

static struct {
	enum mu_massif_count event; /* the last one that offered a snapshot */
	uint32_t offers;	    /* since the last snapshot; the start is one */
} log_state = { MU_MASSIF_COUNT, 1 };

static struct mu_table *snapshot_log_table(void)
{
	return &rec.image->table[MU_SEC_SNAPSHOT_LOG];
}

static bool is_log_enabled(void)
{
	return rec.flags & MU_CFG_SNAPSHOT_LOG && snapshot_log_table()->count >= NUMBERS;
}

static uint64_t *event_counters(void)
{
	return arena_table_at(snapshot_log_table(), 0);
}

static void count_massif_event(enum mu_massif_count what)
{
	__atomic_fetch_add(&event_counters()[what], 1, __ATOMIC_RELAXED);
}

void snapshot_log_init(void)
{
	log_state.event = MU_MASSIF_COUNT;
	log_state.offers = 1;
	if (!(rec.flags & MU_CFG_SNAPSHOT_LOG))
		return;
	arena_table_init(MU_SEC_SNAPSHOT_LOG, sizeof(struct mu_snapshot_log_entry), FIRST_LOG2);
	if (event_counters())
		__atomic_store_n(&snapshot_log_table()->count, NUMBERS, __ATOMIC_RELEASE);
}

void snapshot_log_forked(void)
{
	if (is_log_enabled())
		event_counters()[MU_MASSIF_FORKED] = snapshot_log_table()->count;
}

void snapshot_log_count_event(enum mu_massif_count what, bool is_ignored)
{
	if (!is_log_enabled())
		return;
	count_massif_event(is_ignored ? what + MU_MASSIF_IGNORED_ALLOCS : what);
	if (is_ignored)
		return;
	log_state.event = what;
	log_state.offers++;
}

void snapshot_log_count_ignored_realloc(bool was_ignored)
{
	if (!is_log_enabled())
		return;
	count_massif_event(MU_MASSIF_IGNORED_REALLOCS);
	if (was_ignored)
		return;
	count_massif_event(MU_MASSIF_REALLOCS);
	count_massif_event(MU_MASSIF_SILENT);
}

void snapshot_log_append(const struct mu_snapshot *snapshot, uint64_t time)
{
	struct mu_snapshot_log_entry *entry;

	if (!is_log_enabled())
		return;
	entry = snapshot_log_table()->count < ENTRIES_MAX ?
			arena_table_at(snapshot_log_table(), snapshot_log_table()->count) :
			NULL;
	if (!entry) {
		rec.image->drops.snapshots++;
		return;
	}
	*entry =
		(struct mu_snapshot_log_entry){ .time = time,
						.heap = snapshot->heap,
						.extra = snapshot->extra,
						.kind = (uint16_t)snapshot->kind,
						.event = (uint16_t)log_state.event,
						.skipped = log_state.offers ? log_state.offers - 1 :
									      0 };
	__atomic_store_n(&snapshot_log_table()->count, snapshot_log_table()->count + 1,
			 __ATOMIC_RELEASE);
	/* The event that made a peak offers another one when it is done. */
	log_state.offers = snapshot->kind == MU_SNAPSHOT_PEAK;
}
