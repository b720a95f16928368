/* real_mark.h -- marking the calls of real functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* real_mark -- mark our calls of the real malloc and its kin from now on: the functions that they
 * call count with our caller's call. Operators that do not call malloc record only blocks that are
 * not known yet, and need no mark. Idempotent. */
void real_mark(void);

/* real_is_inside -- return whether this thread is in such a call. Async-signal-safe. */
bool real_is_inside(void);
