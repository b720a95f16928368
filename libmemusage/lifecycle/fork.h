/* fork.h -- continuing the recording in a forked child.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* fork_init -- register with libc's fork. Idempotent. Not async-signal-safe. */
void fork_init(void);

/* fork_needs_copy -- before a fork of which libc's handlers do not know: return whether the child
 * would go on in the middle of an event of its parent.
 *
 * So it is in a signal handler. The child is then to call fork_end_event_on_copy() first of all.
 * Async-signal-safe. Costs 2 us, 20 us the first time.
 */
bool fork_needs_copy(void);

/* fork_end_event_on_copy -- have the child end that event on a private copy of the image.
 *
 * It is not recorded, and counted in its parent's drops.forks. Async-signal-safe.
 */
void fork_end_event_on_copy(void);
