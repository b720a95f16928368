/* stop.h -- keeping all other threads out of the hook for a while.
 *
 * A fork copies the image, and a new limit takes away a part of it; nobody may be in an event then.
 * MODE_STOP is set meanwhile, by one thread at a time: everybody who enters the hook looks at it
 * behind having said that he is in, and steps out again and waits. Threads that want to stop the
 * others take turns, and those who waited have an event each in between.
 *
 * Nothing here waits for ever. Whoever waited for too long goes on and breaks the stop: what needed
 * it is then given up by the one who had stopped the others (a child is not recorded).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_IMAGE_STOP_H
#define LIBMEMUSAGE_IMAGE_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"

/* stop_begin -- have all other threads leave the hook, and keep them out.
 *
 * returns_at  where on the stack the return address lies of the function that its caller may leave
 *             by longjmp before stop_end(), which is noticed at the thread's next event or stop;
 *             NULL: it cannot be left.
 * Returns false if one did not leave it within the bound, if other threads' stops took too long, or
 * if the calling thread has stopped the others already; then nothing is to be ended. Call outside
 * the hook. Signals are blocked until the end, but in a sandbox, which may forbid that: so no
 * handler can leave what is under way, or begin it once more. Async-signal-safe.
 */
bool stop_begin(const uint64_t *returns_at);

/* stop_loosen -- the calling thread may wait for a lock of libc from now on, which one that it has
 * stopped may hold: that one waits for 100 ms at least, instead of some seconds, and goes on. */
void stop_loosen(void);

/* stop_is_broken -- whether somebody went on. In a forked child: before the fork. */
bool stop_is_broken(void);

/* stop_end -- let the others go on. */
void stop_end(void);

/* stop_forked -- in a child, at last: nobody is stopped. */
void stop_forked(void);

/* stop_is_on -- whether the calling thread is to wait before it changes anything. */
bool stop_is_on(void);

/* stop_await -- wait outside of the hook until there is no such reason any more, or for too long.
 *
 * Async-signal-safe.
 */
void stop_await(void);

/* stop_asked -- whether somebody may have stopped the others. Look once more behind having set
 * pub.busy: who stops the others sees that, or you see this. Cost below 1 ns. */
static inline bool stop_asked(void)
{
	return unlikely(__atomic_load_n(&gate.mode, __ATOMIC_RELAXED) & MODE_STOP);
}

#endif
