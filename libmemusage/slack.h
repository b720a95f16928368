/* slack.h -- blocks that keep more than their size's usual rounding.
 *
 * In Massif's books a block that realloc shrinks keeps its room, and a later growth uses it
 * up. Few blocks are like that: they alone are remembered here, marked in the block table by
 * a bit of their time of birth.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_SLACK_H
#define LIBMEMUSAGE_SLACK_H

#include <stdbool.h>
#include <stdint.h>

#define SLACK_MARK (UINT64_C(1) << 37) /* in struct block.birth */

/* slack_put -- remember that a block has room for `room` bytes.
 *
 * Returns false if it cannot be remembered; it then counts with its usual rounding.
 * Async-signal-safe.
 */
bool slack_put(uint64_t address, uint64_t room);

/* slack_take -- forget a block. Returns its room, 0 if it is not known. */
uint64_t slack_take(uint64_t address);

/* slack_forget_locks -- in a forked child. */
void slack_forget_locks(void);

#endif
