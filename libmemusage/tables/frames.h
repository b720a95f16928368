/* frames.h -- the tree of frames: stacks share the nodes of the outer frames that they share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/unwind/walk.h"

/* frames_init -- make the tree with its root. Returns false without memory. */
bool frames_init(void);

/* frames_find_node -- find the node of a stack's innermost frame, and make missing nodes.
 *
 * Frames of this library have none. The caller holds the lock of sites.c.
 * Returns 0, the root, for a stack without frames, or without memory (counted as a drop).
 * Async-signal-safe. Costs one look-up for each new frame, and one more.
 */
uint32_t frames_find_node(const struct walk *walk);
