/* mapping.h -- writable file mappings that count as heap (-m).
 *
 * glibc's memusage subtracts every munmap from the heap, also of memory that it never added. This
 * table has what was added, and only that is subtracted, so the heap never becomes negative.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* mapping_init -- make the empty table of a new image. Returns false if the arena is full. */
bool mapping_init(void);

/* mapping_add -- track [start, start + length), which replaces what was mapped there.
 *
 * Returns the change of the heap in bytes: length minus the tracked bytes that it replaces, 0 if it
 * cannot be tracked (counted as a drop). Call inside the hook. Costs O(number of mappings) at
 * worst.
 */
int64_t mapping_add(uint64_t start, uint64_t length);

/* mapping_remove -- forget [start, start + length), which was unmapped.
 *
 * Returns the change of the heap, 0 or negative: minus the tracked bytes of the range.
 */
int64_t mapping_remove(uint64_t start, uint64_t length);

/* mapping_holds -- return whether an address is in a tracked mapping. */
bool mapping_holds(uint64_t address);
