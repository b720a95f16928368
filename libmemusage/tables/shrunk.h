/* shrunk.h -- blocks that keep more room than the usual rounding of their size.
 *
 * In Massif's accounting a block that realloc shrinks keeps its room, and a later growth uses it.
 * A bit of its time of birth marks such a block in the block table. Other bits there hold up to
 * 1,008 bytes more (recording/blocks.h): python3 shrinks each second string that it makes. This
 * table has the few blocks with more. (`slop` is Valgrind's word for the rounding of a size.)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* shrunk_remember -- remember that a block of `size` bytes has room for `room`, more than usual.
 *
 * birth    the block's time of birth; set to the value for the block table, with these bits.
 * Returns  false without memory; the block then counts with its usual rounding.
 * Async-signal-safe.
 */
bool shrunk_remember(uint64_t address, uint64_t size, uint64_t room, uint64_t *birth);

/* shrunk_forget -- forget a block. Returns its room beyond its size, 0 if it is not known. */
uint64_t shrunk_forget(uint64_t address, uint64_t size, uint64_t birth);
