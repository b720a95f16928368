/* ranges.c -- a sorted list of disjoint ranges of addresses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/ranges.h"

#include <string.h>

#include "libmemusage/base/memory.h"

#define FIRST_ROOM 512u

uint64_t ranges_after(const struct ranges *r, uint64_t address)
{
	uint64_t low = 0, high = r->count;

	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (r->range[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool ranges_reserve(struct ranges *r, uint64_t more)
{
	uint64_t room = r->room ? 2 * r->room : FIRST_ROOM;

	if (r->count + more <= r->room)
		return true;
	while (room < r->count + more)
		room *= 2;
	struct range *bigger = memory_map(room * sizeof(*bigger));
	if (!bigger)
		return false;
	if (r->range) {
		memcpy(bigger, r->range, r->count * sizeof(*bigger));
		memory_unmap(r->range, r->room * sizeof(*bigger));
	}
	r->range = bigger;
	r->room = room;
	return true;
}

static void insert_gap_at(struct ranges *r, uint64_t index)
{
	struct range *at = &r->range[index];

	memmove(at + 1, at, (r->count - index) * sizeof(*at));
	r->count++;
}

static void remove_range_at(struct ranges *r, uint64_t index)
{
	struct range *at = &r->range[index];

	r->count--;
	memmove(at, at + 1, (r->count - index) * sizeof(*at));
}

static bool has_same_owner(const struct range *a, const struct range *b)
{
	return a->site == b->site && a->tag == b->tag;
}

bool ranges_put(struct ranges *r, const struct range *range)
{
	uint64_t i = ranges_after(r, range->start);
	struct range *before = i ? &r->range[i - 1] : NULL;
	struct range *after = i < r->count ? &r->range[i] : NULL;
	bool joins_before = before && before->end == range->start && has_same_owner(before, range);
	bool joins_after = after && after->start == range->end && has_same_owner(after, range);

	if (joins_before) {
		before->end = joins_after ? after->end : range->end;
		if (joins_after)
			remove_range_at(r, i);
		return true;
	}
	if (joins_after) {
		after->start = range->start;
		return true;
	}
	if (!ranges_reserve(r, 1))
		return false;
	insert_gap_at(r, i);
	r->range[i] = *range;
	return true;
}

bool ranges_take(struct ranges *r, uint64_t start, uint64_t end, struct range *part)
{
	uint64_t i = ranges_after(r, start);

	if (i == r->count || r->range[i].start >= end)
		return false;
	struct range *old = &r->range[i];
	*part = *old;
	if (part->start < start)
		part->start = start;
	if (part->end > end)
		part->end = end;
	bool stays_below = old->start < part->start, stays_above = part->end < old->end;
	if (stays_below && stays_above) {
		if (!ranges_reserve(r, 1))
			return false;
		insert_gap_at(r, i);
		r->range[i].end = part->start;
		r->range[i + 1].start = part->end;
	} else if (stays_below) {
		old->end = part->start;
	} else if (stays_above) {
		old->start = part->end;
	} else {
		remove_range_at(r, i);
	}
	return true;
}

uint64_t ranges_bytes(const struct ranges *r)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < r->count; i++)
		sum += r->range[i].end - r->range[i].start;
	return sum;
}

void ranges_free(struct ranges *r)
{
	if (r->range)
		memory_unmap(r->range, r->room * sizeof(*r->range));
	*r = (struct ranges){ 0 };
}
