/* shrunk.h -- blocks that keep more than their size's usual rounding.
 *
 * In Massif's books a block that realloc shrinks keeps its room, and a later growth uses it
 * up. A bit of its time of birth says so in the block table. Up to 1,008 bytes more stand beside
 * it (recording/blocks.h): python3 shrinks each second string that it makes. The few with more
 * are remembered here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_SHRUNK_H
#define LIBMEMUSAGE_TABLES_SHRUNK_H

#include <stdbool.h>
#include <stdint.h>

/* shrunk_remember -- remember that a block of `size` bytes has room for `room`, more than usual.
 *
 * birth    when the block was made; set to what the block table is to say.
 * Returns  false if it cannot be remembered; it then counts with its usual rounding.
 * Async-signal-safe.
 */
bool shrunk_remember(uint64_t address, uint64_t size, uint64_t room, uint64_t *birth);

/* shrunk_forget -- forget a block: bytes beyond its size that it keeps, 0 if it is not known. */
uint64_t shrunk_forget(uint64_t address, uint64_t size, uint64_t birth);

#endif
