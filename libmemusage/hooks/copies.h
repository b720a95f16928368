/* copies.h -- copy mode: every copy of bytes is an event of its own, with its call stack.
 *
 * The C library's own functions copy, too (stdio, strdup). They call memcpy and its kin through
 * slots of the library's own table, since the fastest version is chosen at start. We point these
 * slots at our functions, so such copies are seen with their stacks, as DHAT sees them. Where the
 * table cannot be written, the functions that are known to copy inside are counted instead.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/image/recorder.h"
#include "recording/copies.h"

struct copies {
	bool are_on;	   /* copy mode is on, and this process is recorded */
	bool are_seen_inside; /* ... and the C library's inner copies are seen */
};

extern HIDDEN struct copies copies;

/* copies_event -- record a copy of bytes, before or after it is made.
 *
 * sp  from hook_sp() of the interposed function.
 * Async-signal-safe; from a handler that interrupted the recorder it is not recorded.
 * Cost 20-40 ns.
 */
void copies_event(enum mu_copy which, uint64_t bytes, uint64_t sp);

/* copies_range -- note a range that a compiler's hook saw read or written: a read and a write of
 * the same size next to each other are a copy.
 *
 * pc  where the hook returns to; sp of the hook.
 */
void copies_range(uint64_t bytes, bool is_write, uint64_t pc, uint64_t sp);
