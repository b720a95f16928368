/* attached.h -- the recorder in a process that ran before it came: libmemusage_attach.so.
 *
 * ld.so does not know this library. The attacher maps it, relocates it, and lets one thread run
 * attach_begin() while all others are stopped, so locks of libc may be held for ever: no function
 * of libc is called, then or later, but the lock-free _dl_find_object().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/attach/attached_state.h"
#include "recording/attach.h"

/* attached_adopt_thread -- begin with the calling thread, whose words are not of it.
 *
 * From patched code, before anything else uses a thread-local variable. Async-signal-safe.
 */
void attached_adopt_thread(void);

/* attach_begin -- begin to record this process.
 *
 * attach  from the attacher; its second part is filled in, and `state` stored last.
 * Called in a thread that the attacher has borrowed, on a stack of its own, with all signals
 * blocked and all other threads stopped. Then it waits for a second to be taken from here: if the
 * attacher was killed, it returns, and the thread goes home.
 */
__attribute__((visibility("default"))) void attach_begin(struct mu_attach *attach);

/* guards_patch -- intercept the functions of libc by which a program limits its memory or forbids
 * itself system calls, so that the recorder adapts before it does; and, if that is possible,
 * pthread_create, and what ends a process that is to be examined then.
 *
 * Returns NULL, or the name of the first function that cannot be intercepted.
 */
struct patch;
const char *guards_patch(const struct patch *p);

/* mappings_patch -- intercept the functions by which a program maps memory (-m).
 *
 * Returns NULL, or the name of a function that cannot be intercepted, with the reason in *WHY.
 */
const char *mappings_patch(const struct patch *p, const char **why);

/* guards_watch_threads -- tell whether calls of pthread_create are seen, and where its code is. */
bool guards_watch_threads(uint64_t *function, uint64_t *size);
