/* pending_request.h -- what somebody outside asks of this process: snapshots, to stop and to start.
 *
 * Whoever asks writes mu_image.request, then knocks: in every thread's record it exchanges `busy`
 * from 0 to MU_BUSY_REQUEST, so that the thread's next event takes the slow way and finds the
 * request. The quick paths test `busy` anyway, so that requests cost nothing while there are none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_PENDING_REQUEST_H
#define LIBMEMUSAGE_LIFECYCLE_PENDING_REQUEST_H

#include <stdbool.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

/* pending_request_noticed -- take back the mark of a request in the calling thread's record.
 *
 * Returns whether there was one; the thread is outside the hook then. Each mark is noticed once.
 */
static inline bool pending_request_noticed(struct thread *thread)
{
	uint32_t knock = MU_BUSY_REQUEST;

	return __atomic_compare_exchange_n(&thread->pub.busy, &knock, 0, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* pending_request_serve -- do what is asked, if another thread has not done it.
 *
 * Call inside the hook. Async-signal-safe. Cost nothing to speak of, or that of
 * snapshots_request().
 */
void pending_request_serve(struct thread *thread);

#endif
