/* ranges.h -- a sorted list of disjoint ranges of addresses.
 *
 * Equal neighbours are joined, so that a program that maps page after page has few ranges. They are
 * in private memory; nothing here locks. A look-up takes O(log n); a change moves all ranges above
 * it: some 50 us at worst, with the 65,530 mappings that Linux allows a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct range {
	uint64_t start, end;
	uint32_t site;
	uint32_t tag; /* the owner's own */
};

/* Zeroed: empty. */
struct ranges {
	struct range *range;
	uint64_t count, room;
};

/* ranges_put -- add a range; none may overlap it.
 *
 * Returns false without memory. Async-signal-safe.
 */
bool ranges_put(struct ranges *r, const struct range *range);

/* ranges_reserve -- allocate memory for `more` changes, so that these need none.
 *
 * Returns false without memory. Async-signal-safe.
 */
bool ranges_reserve(struct ranges *r, uint64_t more);

/* ranges_take -- remove the lowest part of [start, end) that is in some range.
 *
 * part     set to what was removed; the rest of a range that reaches beyond stays.
 * Returns  false if there is none, or no memory for the rest. Call it until then.
 *          Async-signal-safe.
 */
bool ranges_take(struct ranges *r, uint64_t start, uint64_t end, struct range *part);

/* ranges_after -- return the index of the first range that ends after `address`, else r->count. */
uint64_t ranges_after(const struct ranges *r, uint64_t address);

/* ranges_bytes -- return the sum of all lengths. */
uint64_t ranges_bytes(const struct ranges *r);

/* ranges_free -- unmap the memory; the list is empty again. */
void ranges_free(struct ranges *r);
