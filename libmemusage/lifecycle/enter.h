/* enter.h -- entering the hook for the first time, or where that is not simple.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_ENTER_H
#define LIBMEMUSAGE_LIFECYCLE_ENTER_H

#include <stdbool.h>

/* hook_is_under_way -- whether the calling thread was interrupted in the hook, or on its way to its
 * first event. Then a handler that interrupted it is asking. Async-signal-safe. */
bool hook_is_under_way(void);

#endif
