/* stop.h -- keeping all other threads out of the hook for a while.
 *
 * A fork copies the image, and a new limit unmaps a part of it; no other thread may be in an event
 * then. One thread at a time sets MODE_STOP meanwhile. A thread that enters the hook first sets
 * pub.busy, then tests MODE_STOP; if it is set, the thread leaves the hook and waits. Threads that
 * want to stop the others take turns, and each waiting thread has an event in between.
 *
 * Nothing here waits for ever. A thread that has waited for too long continues and breaks the stop;
 * the thread that had stopped the others then gives up what it was doing (a child is not recorded).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/signal_mask.h"
#include "libmemusage/image/recorder.h"

/* stop_begin -- have all other threads leave the hook, and keep them out.
 *
 * returns_at  the address on the stack of the return address of a function that may be left by
 *             longjmp before stop_end(): the thread's next event or stop notices that; NULL: it
 *             cannot be left.
 * Returns false if a thread did not leave the hook within the bound, if other threads' stops took
 * too long, or if the calling thread has stopped the others already; do not call stop_end() then.
 * Call it outside the hook. Signals are blocked until the end, except in a sandbox, which may
 * forbid that: so no handler can leave the stop or begin another one. Async-signal-safe.
 */
bool stop_begin(const uint64_t *returns_at);

/* stop_loosen -- let stopped threads break the stop after one bound of spin.h instead of 30.
 *
 * For a thread that may wait for a lock of libc, which a stopped thread may hold. A thread that is
 * changing ld.so's list breaks the stop at once.
 */
void stop_loosen(void);

/* stop_keeps_list_locked -- return whether a thread must wait that is changing ld.so's list.
 *
 * A thread that stopped the others in order to fork then ends the stop, and begins another one a
 * little later.
 */
bool stop_keeps_list_locked(void);

/* stop_forbid -- keep other threads from beginning a stop; first wait for the end of one.
 *
 * For a thread that is about to take a lock of libc which fork() does not free in the child: a stop
 * of another thread waits for stop_allow(), within the bound of spin.h, and the calling thread's
 * events go on meanwhile. May be nested. Call it outside the hook, and not while the thread itself
 * has stopped the others. Async-signal-safe.
 * Returns whether stop_allow() must follow: false if the process has one thread.
 */
bool stop_forbid(void);

/* stop_allow -- end what stop_forbid() began, if it returned true. */
void stop_allow(void);

/* stop_is_broken -- return whether a thread continued; in a forked child: before the fork. */
bool stop_is_broken(void);

/* stop_end -- let the other threads continue. */
void stop_end(void);

/* stop_forked -- in a child: end the stop, of which no other thread is left. */
void stop_forked(void);

/* stop_is_on -- return whether the calling thread must wait before it changes anything. */
bool stop_is_on(void);

/* stop_await -- wait outside of the hook until stop_is_on() is false, or for too long.
 *
 * Async-signal-safe.
 */
void stop_await(void);

/* stop_asked -- return whether a thread may have stopped the others. Cost below 1 ns.
 *
 * Call it again after having set pub.busy: either the stopping thread sees that, or you see this.
 */
static inline bool stop_asked(void)
{
	return unlikely(__atomic_load_n(&gate.mode, __ATOMIC_RELAXED) & MODE_STOP);
}
