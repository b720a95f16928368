/* ranges.h -- a sorted list of disjoint ranges of addresses.
 *
 * Neighbours that differ in nothing become one, so that a program which maps page after page has
 * few. In private memory; nothing here locks. Looking up takes O(log n), a change moves what lies
 * above it: with the 65,530 mappings that Linux allows a process some 50 us at worst.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_RANGES_H
#define LIBMEMUSAGE_BASE_RANGES_H

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

/* ranges_put -- add a range where there is none.
 *
 * Returns false without memory. Async-signal-safe.
 */
bool ranges_put(struct ranges *r, const struct range *range);

/* ranges_reserve -- have memory for `more` changes, so that they need none.
 *
 * Returns false without memory. Async-signal-safe.
 */
bool ranges_reserve(struct ranges *r, uint64_t more);

/* ranges_take -- remove the lowest part of [start, end) that is in some range.
 *
 * part     what was removed; of a range that reaches beyond, the rest stays.
 * Returns  false if there is none, or no memory for the rest. Call until then. Async-signal-safe.
 */
bool ranges_take(struct ranges *r, uint64_t start, uint64_t end, struct range *part);

/* ranges_after -- index of the first range that ends after `address`, r->count if none does. */
uint64_t ranges_after(const struct ranges *r, uint64_t address);

/* ranges_bytes -- the sum of all. */
uint64_t ranges_bytes(const struct ranges *r);

/* ranges_free -- give back the memory: empty again. */
void ranges_free(struct ranges *r);

#endif
