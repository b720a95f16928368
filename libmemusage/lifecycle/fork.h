/* fork.h -- continuing the recording in a forked child.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* fork_init -- register with libc's fork. Idempotent. Not async-signal-safe. */
void fork_init(void);
