/* recall.h -- the site of a stack that this thread had before, without unwinding it again.
 *
 * Programs repeat their work in the same order, at the same depth. For a stack each thread keeps
 * all words on which the unwinding of its inner frames depended, up to a frame of the stack that
 * walk.c remembers, and the last four stacks that followed it. The next event expects one of these.
 * If its words and those of the remembered frames outside have not changed, unwinding would find
 * the same frames, for the reason given in walk.h. walk.c keeps what it remembers. A thread begins
 * with this after some thousand events, because it takes memory: 200 bytes for a stack, 1.6 MB at
 * most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/unwind/walk.h"

/* recall_site -- find the site of the calling thread's present stack.
 *
 * fn       as for sites_find().
 * slot, bp as for walk_stack().
 * Returns  the unknown site without memory.
 * Async-signal-safe. Costs 10-15 ns for a known stack, otherwise as much as walk_stack().
 */
uint32_t recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp);
