/* ignore.h -- stacks that Massif's accounting leaves out: --ignore-fn.
 *
 * Only the collector knows names. When an allocating stack has a frame in a module for the first
 * time, the recorder asks the collector for the classes of its code, and waits for the answer, a
 * list of ranges in the arena (docs/format.md, section 7.1). After that a new stack costs a binary
 * search per frame that is looked at. The answer for a stack is a flag of its site.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/unwind/walk.h"

/* ignore_init -- begin with a new image, for which nothing was asked yet. */
void ignore_init(void);

/* ignore_stack -- return whether the function that allocates is one of --ignore-fn.
 *
 * Massif's rule skips the frames of allocating functions, from the innermost outward; the next
 * frame that has a name decides. A stack of allocating functions alone is ignored.
 * Async-signal-safe. Waits for the collector once per module: 30 s until it begins, 120 s for the
 * answer. Without an answer the code of the module has no names (counted in drops.modules), and
 * the recorder does not ask again. In a sandbox it never asks.
 */
bool ignore_stack(const struct walk *walk);
