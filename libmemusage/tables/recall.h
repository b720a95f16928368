/* recall.h -- the site of a stack that this thread had before, without unwinding it again.
 *
 * Programs do the same things again, in the same order, at the same depth. For a stack each thread
 * keeps all words that the unwinding of its inner frames depended on, up to a frame of the stack
 * that walk.c remembers, and which four stacks came after it last: one of these is expected at the
 * next event. If its words hold what they held, and so do the words of the remembered frames from
 * there outward, then unwinding would find the same frames, for the reason given in walk.h. What
 * walk.c remembers stays as it is. A thread begins with that after some thousand events: the memory
 * for it, 200 bytes for a stack and 1.6 MB at most, is not for those that have few.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_RECALL_H
#define LIBMEMUSAGE_TABLES_RECALL_H

#include "libmemusage/unwind/walk.h"

/* recall_site -- the site of the calling thread's present stack; the unknown one without memory.
 *
 * fn       as for sites_find().
 * slot, bp as for walk_stack().
 * Async-signal-safe. Cost 10-15 ns for a stack that is known, else as walk_stack().
 */
uint32_t recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp);

#endif
