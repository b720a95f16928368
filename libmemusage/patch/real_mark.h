/* real_mark.h -- knowing when a real function is at work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PATCH_REAL_MARK_H
#define LIBMEMUSAGE_PATCH_REAL_MARK_H

#include <stdbool.h>

/* real_mark -- from now on have it known when the real malloc and its kin are at work for us: what
 * they call counts with our caller's call. Operators that are not made of malloc record only
 * what is not known yet, and need no mark. Idempotent. */
void real_mark(void);

/* real_is_inside -- whether this thread is in such a call. Async-signal-safe. */
bool real_is_inside(void);

#endif
