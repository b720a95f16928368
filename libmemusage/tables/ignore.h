/* ignore.h -- which stacks are not to be in Massif's books: --ignore-fn.
 *
 * Names are known outside only. So the first time that an allocating stack leads through a
 * module, the recorder asks the collector what its code is and waits for the answer, a list of
 * ranges in the arena (docs/format.md, section 7.1); from then on a new stack costs a binary
 * search per frame that is looked at. A known stack is never asked for again: the answer is a
 * flag of its site.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_IGNORE_H
#define LIBMEMUSAGE_TABLES_IGNORE_H

#include <stdbool.h>

#include "libmemusage/unwind/walk.h"

/* ignore_init -- for a new image: nothing has been asked yet. */
void ignore_init(void);

/* ignore_stack -- whether the function that allocates is one of --ignore-fn.
 *
 * Massif's rule: from the innermost frame outward, those of allocating functions are passed
 * over; then the first frame that has a name decides. A stack of nothing but allocating
 * functions is ignored.
 * Async-signal-safe. Waits for the collector once per module: 30 s for it to begin, 120 s for
 * the answer; without one the code of the module has no names (counted in drops.modules), and
 * it is not asked again. In a sandbox nobody is asked.
 */
bool ignore_stack(const struct walk *walk);

#endif
