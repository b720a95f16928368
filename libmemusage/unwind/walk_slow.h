/* walk_slow.h -- unwinding with all registers, for stacks with frames that need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/unwind/walk.h"

/* walk_slow -- unwind the whole stack from the slot outward into walk->new, innermost first.
 *
 * slot   address of the interposed function's return address.
 * flags  set if the stack is truncated.
 * Returns the number of frames. Starts in this function's own frame, since only there are all
 * registers known. Async-signal-safe. Cost some us per frame.
 */
unsigned int walk_slow(struct walk *walk, uint64_t slot, uint8_t *flags);

/* Tells whether to go on outward from a frame with these registers. */
typedef bool walk_slow_inner(void *data, const struct walk_registers *r);

/* walk_slow_caller -- unwind until the first frame that is_inner() does not know.
 *
 * Returns the registers of that frame, valid until the next walk; NULL without one. Cost and
 * conditions as walk_slow().
 */
const struct walk_registers *walk_slow_caller(struct walk *walk, walk_slow_inner *is_inner,
					      void *data);
