/* snapshot_log.c -- every snapshot when it is taken.
 *
 * With several threads the counts are exact; which event an offer belongs to is not.
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

static enum mu_massif_count event_now = MU_MASSIF_COUNT;
static uint32_t offers = 1; /* since the last snapshot; the start is one */

static struct mu_table *table(void)
{
	return &rec.image->table[MU_SEC_SNAPSHOT_LOG];
}

static bool is_on(void)
{
	return rec.flags & MU_CFG_SNAPSHOT_LOG && table()->count >= NUMBERS;
}

static uint64_t *numbers(void)
{
	return arena_table_at(table(), 0);
}

static void count(enum mu_massif_count what)
{
	__atomic_fetch_add(&numbers()[what], 1, __ATOMIC_RELAXED);
}

void journal_init(void)
{
	event_now = MU_MASSIF_COUNT;
	offers = 1;
	if (!(rec.flags & MU_CFG_SNAPSHOT_LOG))
		return;
	arena_table_init(MU_SEC_SNAPSHOT_LOG, sizeof(struct mu_snapshot_log_entry), FIRST_LOG2);
	if (numbers())
		__atomic_store_n(&table()->count, NUMBERS, __ATOMIC_RELEASE);
}

void journal_forked(void)
{
	if (is_on())
		numbers()[MU_MASSIF_FORKED] = table()->count;
}

void journal_event(enum mu_massif_count what, bool is_ignored)
{
	if (!is_on())
		return;
	count(is_ignored ? what + MU_MASSIF_IGNORED_ALLOCS : what);
	if (is_ignored)
		return;
	event_now = what;
	offers++;
}

void journal_realloc(bool was_ignored)
{
	if (!is_on())
		return;
	count(MU_MASSIF_IGNORED_REALLOCS);
	if (was_ignored)
		return;
	count(MU_MASSIF_REALLOCS);
	count(MU_MASSIF_SILENT);
}

void journal_add(const struct mu_snapshot *snapshot, uint64_t time)
{
	struct mu_snapshot_log_entry *entry;

	if (!is_on())
		return;
	entry = table()->count < ENTRIES_MAX ? arena_table_at(table(), table()->count) : NULL;
	if (!entry) {
		rec.image->drops.snapshots++;
		return;
	}
	*entry = (struct mu_snapshot_log_entry){ .time = time,
				      .heap = snapshot->heap,
				      .extra = snapshot->extra,
				      .kind = (uint16_t)snapshot->kind,
				      .event = (uint16_t)event_now,
				      .skipped = offers ? offers - 1 : 0 };
	__atomic_store_n(&table()->count, table()->count + 1, __ATOMIC_RELEASE);
	/* What made a peak offers another one when it is done. */
	offers = snapshot->kind == MU_SNAPSHOT_PEAK;
}
