/* enter.h -- entering the hook on the slow path: at first events, requests and nested calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* hook_is_under_way -- return whether the caller is a signal handler that interrupted the hook.
 *
 * Or the start of the thread's first event. Async-signal-safe.
 */
bool hook_is_under_way(void);

/* enter_for_start -- do the deferred start of this process or thread now, not at its first event.
 *
 * Call it outside the hook. Async-signal-safe.
 */
void enter_for_start(void);

/* enter_if_cloned -- let a child of a raw clone() become a process of its own now.
 *
 * It does so at its first event, and has its parent's memory mapped until then. Call this before a
 * system call that depends on what is mapped, outside the hook. It does nothing in other processes.
 * Async-signal-safe.
 */
void enter_if_cloned(void);
