/* mapping.c -- a sorted array of disjoint ranges.
 *
 * A range ends where the request ended, not at the end of its last page, because the heap is of
 * requested bytes. Removals are rounded up to pages, as in the kernel. The array is a section of
 * the recording, hence not one of base/ranges.h, which are in private memory.
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

static struct mu_table *mapping_table(void)
{
	return &rec.image->table[MU_SEC_MAPPINGS];
}

static struct mu_mapping *mapping_ranges(void)
{
	return arena_at(mapping_table()->extent[0]);
}

/* Index of the first range that ends after `address`. */
static uint64_t first_range_after(uint64_t address)
{
	const struct mu_mapping *range = mapping_ranges();
	uint64_t low = 0, high = mapping_table()->count;

	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (range[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Makes room for one more. Old arrays are not freed: sizes double, so all have at most the size of
 * the last. */
static bool reserve_range(void)
{
	struct mu_table *mappings = mapping_table();

	if (mappings->count < UINT64_C(1) << mappings->first_log2)
		return true;
	uint64_t bytes = sizeof(struct mu_mapping) << (mappings->first_log2 + 1);
	uint64_t offset = arena_alloc(bytes, 64);
	if (!offset)
		return false;
	memcpy(arena_at(offset), mapping_ranges(), mappings->count * sizeof(struct mu_mapping));
	mappings->extent[0] = offset;
	mappings->first_log2++;
	return true;
}

static bool insert_range(uint64_t index, uint64_t start, uint64_t end)
{
	if (!reserve_range())
		return false;
	struct mu_mapping *range = mapping_ranges();
	memmove(&range[index + 1], &range[index],
		(mapping_table()->count - index) * sizeof(*range));
	range[index] = (struct mu_mapping){ start, end };
	mapping_table()->count++;
	return true;
}

/* Removes [start, end) from all ranges. Returns the bytes that were tracked. Without room for the
 * part behind a hole in a range, that part is dropped. */
static uint64_t cut_ranges(uint64_t start, uint64_t end)
{
	uint64_t removed = 0;
	uint64_t i = first_range_after(start);

	while (i < mapping_table()->count && mapping_ranges()[i].start < end) {
		struct mu_mapping old = mapping_ranges()[i];
		uint64_t from = old.start > start ? old.start : start;
		uint64_t to = old.end < end ? old.end : end;
		removed += to - from;
		if (old.start < from) {
			mapping_ranges()[i++].end = from;
			if (to < old.end && !insert_range(i, to, old.end)) {
				removed += old.end - to;
				count_drop(mappings);
			}
		} else if (to < old.end) {
			mapping_ranges()[i].start = to;
		} else {
			struct mu_mapping *range = mapping_ranges();
			memmove(&range[i], &range[i + 1],
				(--mapping_table()->count - i) * sizeof(*range));
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

static uint64_t round_up_to_pages(uint64_t length)
{
	return (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}

int64_t mapping_add(uint64_t start, uint64_t length)
{
	int64_t change = 0;

	if (!spin_lock(&locks.mapping)) {
		count_drop(mappings);
		return 0;
	}
	change -= (int64_t)cut_ranges(start, start + round_up_to_pages(length));
	if (insert_range(first_range_after(start), start, start + length))
		change += (int64_t)length;
	else
		count_drop(mappings);
	spin_unlock(&locks.mapping);
	return change;
}

int64_t mapping_remove(uint64_t start, uint64_t length)
{
	if (!spin_lock(&locks.mapping)) {
		count_drop(mappings);
		return 0;
	}
	int64_t removed = (int64_t)cut_ranges(start, start + round_up_to_pages(length));
	spin_unlock(&locks.mapping);
	return -removed;
}

bool mapping_holds(uint64_t address)
{
	if (!spin_lock(&locks.mapping))
		return false;
	uint64_t i = first_range_after(address);
	bool holds = i < mapping_table()->count && mapping_ranges()[i].start <= address;
	spin_unlock(&locks.mapping);
	return holds;
}
