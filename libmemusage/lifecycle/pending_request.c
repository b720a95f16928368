/* pending_request.c -- what somebody outside asks of this process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pending_request.h"

#include "libmemusage/requests/marks.h"
#include "libmemusage/tables/snapshots.h"

static void pause_recording(struct thread *thread)
{
	if (!__atomic_exchange_n(&rec.image->stopped, 1, __ATOMIC_RELAXED))
		marks_pause(thread);
}

static void resume_recording(struct thread *thread)
{
	if (__atomic_exchange_n(&rec.image->stopped, 0, __ATOMIC_RELAXED))
		marks_resume(thread);
}

void pending_request_serve(struct thread *thread)
{
	struct mu_image *image = rec.image;
	uint32_t serial = __atomic_load_n(&image->request_serial, __ATOMIC_ACQUIRE);
	uint32_t request = __atomic_exchange_n(&image->request, MU_REQUEST_NONE,
					       __ATOMIC_ACQ_REL);

	if (request == MU_REQUEST_NONE)
		return;
	if (request == MU_REQUEST_SNAPSHOT || request == MU_REQUEST_DETAILED)
		snapshots_request(request == MU_REQUEST_DETAILED);
	else if (request == MU_REQUEST_STOP)
		pause_recording(thread);
	else if (request == MU_REQUEST_START)
		resume_recording(thread);
	__atomic_store_n(&image->served_serial, serial, __ATOMIC_RELEASE);
}
