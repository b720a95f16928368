/* hook_recovery.h -- noticing that a signal handler left the hook by longjmp and will not return.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EVENT_HOOK_RECOVERY_H
#define LIBMEMUSAGE_EVENT_HOOK_RECOVERY_H

#include <stdbool.h>

#include "libmemusage/image/thread.h"

/* hook_mark -- what pub.busy holds inside the hook: where on the stack it was entered. */
#define hook_mark() ((uint32_t)(uint64_t)__builtin_frame_address(0) | 1)

/* hook_recovery_init -- learn how large signal frames are: once, when recording begins. */
void hook_recovery_init(void);

/* hook_recover -- whether the hook in which the calling thread seems to be was left for good.
 *
 * thread  its record, busy. If it was left, what it held is made free again and busy is 0.
 * Errs on the side of "it is still in": then a call from a handler is not recorded.
 * Async-signal-safe. Cost 1 us; up to 100 us when it finds out something.
 */
bool hook_recover(struct thread *thread);

/* hook_recovery_interrupted_ours -- whether a signal handler is running that interrupted our code.
 *
 * That code may be about to enter the hook, with addresses of the image in registers. Signal frames
 * are looked for in the 32 KiB above the caller's frame, on the thread's own stack. Cost 2 us,
 * 20 us the first time. Async-signal-safe.
 */
bool hook_recovery_interrupted_ours(void);

#endif
