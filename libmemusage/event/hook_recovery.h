/* hook_recovery.h -- detecting that a signal handler left the hook by longjmp.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/thread.h"

/* hook_mark -- return the value of pub.busy inside the hook: where on the stack it was entered. */
#define hook_mark() ((uint32_t)(uint64_t)__builtin_frame_address(0) | 1)

/* hook_recovery_init -- learn how large signal frames are, once, when recording begins. */
void hook_recovery_init(void);

/* hook_recover -- return whether the calling thread left the hook in which it seems to be for good.
 *
 * thread  its record, busy. If the hook was left, releases all locks and clears busy.
 * In doubt returns false: then a call from a handler is not recorded.
 * Async-signal-safe. Costs 1 us; up to 100 us when it looks for new places of handlers' returns.
 */
bool hook_recover(struct thread *thread);

/* hook_recovery_interrupted_ours -- return whether a signal handler runs that interrupted our code.
 *
 * That code may be about to enter the hook, with addresses of the image in registers. Searches the
 * 32 KiB above the caller's frame, on the thread's own stack, for signal frames. Costs 2 us, 20 us
 * the first time. Async-signal-safe.
 */
bool hook_recovery_interrupted_ours(void);
