/* pending_request.h -- requests of another process: to take a snapshot, to stop, to start.
 *
 * The requester writes mu_image.request, then sets the pending flag of every thread's record: it
 * exchanges `busy` from 0 to MU_BUSY_REQUEST, so that the thread's next event takes the slow path
 * and finds the request.
 * The fast paths test `busy` anyway, so that requests cost nothing while there are none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

/* pending_request_noticed -- clear the pending flag of the calling thread's record.
 *
 * Returns whether it was set; the thread is outside the hook then. Async-signal-safe. Cost: an
 * atomic instruction.
 */
static inline bool pending_request_noticed(struct thread *thread)
{
	uint32_t pending = MU_BUSY_REQUEST;

	return __atomic_compare_exchange_n(&thread->pub.busy, &pending, 0, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* pending_request_serve -- serve the request, unless another thread has.
 *
 * Call it inside the hook. Async-signal-safe. The only cost is that of present_snapshot_publish().
 */
void pending_request_serve(struct thread *thread);
