/* mapping.c -- a sorted array of disjoint ranges.
 *
 * A range ends where the request ended, not at the end of its last page: the heap follows
 * what was asked for. What is removed is rounded up to pages, as the kernel does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/mapping.h"

#include <string.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"

#define FIRST_LOG2 6


static struct mu_table *table(void)
{
	return &rec.image->table[MU_SEC_MAPPINGS];
}

static struct mu_mapping *ranges(void)
{
	return arena_at(table()->extent[0]);
}

static void drop(void)
{
	__atomic_fetch_add(&rec.image->drops.mappings, 1, __ATOMIC_RELAXED);
}

/* Index of the first range that ends after `address`. */
static uint64_t first_after(uint64_t address)
{
	const struct mu_mapping *range = ranges();
	uint64_t low = 0, high = table()->count;

	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (range[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Room for one more. The old array is left behind: sizes double, so at most as much again. */
static bool reserve(void)
{
	struct mu_table *mappings = table();

	if (mappings->count < UINT64_C(1) << mappings->first_log2)
		return true;
	uint64_t bytes = sizeof(struct mu_mapping) << (mappings->first_log2 + 1);
	uint64_t offset = arena_alloc(bytes, 64);
	if (!offset)
		return false;
	memcpy(arena_at(offset), ranges(), mappings->count * sizeof(struct mu_mapping));
	mappings->extent[0] = offset;
	mappings->first_log2++;
	return true;
}

static bool insert(uint64_t index, uint64_t start, uint64_t end)
{
	if (!reserve())
		return false;
	struct mu_mapping *range = ranges();
	memmove(&range[index + 1], &range[index], (table()->count - index) * sizeof(*range));
	range[index] = (struct mu_mapping){ start, end };
	table()->count++;
	return true;
}

/* Removes [start, end) from all ranges. Returns the bytes that were tracked. A hole in the
 * middle of a range that cannot be recorded for lack of room drops the range's tail. */
static uint64_t cut(uint64_t start, uint64_t end)
{
	uint64_t removed = 0;
	uint64_t i = first_after(start);

	while (i < table()->count && ranges()[i].start < end) {
		struct mu_mapping old = ranges()[i];
		uint64_t from = old.start > start ? old.start : start;
		uint64_t to = old.end < end ? old.end : end;
		removed += to - from;
		if (old.start < from) {
			ranges()[i++].end = from;
			if (to < old.end && !insert(i, to, old.end)) {
				removed += old.end - to;
				drop();
			}
		} else if (to < old.end) {
			ranges()[i].start = to;
		} else {
			struct mu_mapping *range = ranges();
			memmove(&range[i], &range[i + 1],
				(--table()->count - i) * sizeof(*range));
		}
	}
	return removed;
}

bool mapping_init(void)
{
	struct mu_table *mappings =
		arena_table_init(MU_SEC_MAPPINGS, sizeof(struct mu_mapping), FIRST_LOG2);

	mappings->extent[0] = arena_alloc(sizeof(struct mu_mapping) << FIRST_LOG2, 64);
	return mappings->extent[0] != 0;
}

static uint64_t pages(uint64_t length)
{
	return (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}

int64_t mapping_add(uint64_t start, uint64_t length)
{
	int64_t change = 0;

	if (!spin_lock(&locks.mapping)) {
		drop();
		return 0;
	}
	change -= (int64_t)cut(start, start + pages(length));
	if (insert(first_after(start), start, start + length))
		change += (int64_t)length;
	else
		drop();
	spin_unlock(&locks.mapping);
	return change;
}

int64_t mapping_remove(uint64_t start, uint64_t length)
{
	if (!spin_lock(&locks.mapping)) {
		drop();
		return 0;
	}
	int64_t removed = (int64_t)cut(start, start + pages(length));
	spin_unlock(&locks.mapping);
	return -removed;
}

bool mapping_holds(uint64_t address)
{
	if (!spin_lock(&locks.mapping))
		return false;
	uint64_t i = first_after(address);
	bool holds = i < table()->count && ranges()[i].start <= address;
	spin_unlock(&locks.mapping);
	return holds;
}
