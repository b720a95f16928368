/* frames.h -- the tree of frames: one node for each frame that no other stack shares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_FRAMES_H
#define LIBMEMUSAGE_TABLES_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/unwind/walk.h"

/* frames_init -- make the tree, with its root. Returns false without memory. */
bool frames_init(void);

/* frames_find_node -- the node of a stack's innermost frame; those that are missing are made.
 *
 * Frames of this library itself have none. The caller holds the lock of sites.c.
 * Returns 0, the root, for a stack without frames, or if there is no memory (counted as a drop).
 * Async-signal-safe. Cost: one look-up for each frame made, and one more.
 */
uint32_t frames_find_node(const struct walk *walk);

#endif
