/* mapping.h -- writable file mappings that count as heap (-m).
 *
 * glibc's memusage subtracts every munmap from the heap, mapped by whom it may be; here only
 * the part that was added before is taken away, so the heap can never become negative.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_MAPPING_H
#define LIBMEMUSAGE_TABLES_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* mapping_init -- make the empty table of a new image. Returns false if the arena is full. */
bool mapping_init(void);

/* mapping_add -- track [start, start + length), which replaced whatever was there.
 *
 * Returns the heap change in bytes: length minus what it replaced; 0 if it could not be
 * tracked (counted as a drop). Call inside the hook. Cost O(number of mappings) at worst.
 */
int64_t mapping_add(uint64_t start, uint64_t length);

/* mapping_remove -- [start, start + length) is gone.
 *
 * Returns the heap change in bytes, 0 or negative: minus the tracked part of the range.
 */
int64_t mapping_remove(uint64_t start, uint64_t length);

/* mapping_holds -- whether an address is in a tracked mapping. */
bool mapping_holds(uint64_t address);

#endif
