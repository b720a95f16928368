/* pending_request.c -- requests of another process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pending_request.h"

#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/lifecycle/pause.h"
#include "libmemusage/requests/marks.h"
#include "libmemusage/tables/present_snapshot.h"
#include "libmemusage/tables/snapshots.h"

/* The text is another process's: it is copied before its end is looked for. */
static void set_mark(struct thread *thread, bool always)
{
	char text[sizeof(rec.image->request_text)];

	for (unsigned int i = 0; i < sizeof(text); i++)
		text[i] = ((volatile char *)rec.image->request_text)[i];
	text[sizeof(text) - 1] = '\0';
	marks_add(thread, MU_MARK_USER, text);
	/* The snapshot has the time of its mark, however late the collector is. */
	coarse_clock_advance();
	snapshots_mark(always);
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
		present_snapshot_publish(request == MU_REQUEST_DETAILED);
	else if (request == MU_REQUEST_STOP)
		pause_stop(thread);
	else if (request == MU_REQUEST_START)
		pause_start(thread);
	else if (mu_request_is_mark(request))
		set_mark(thread, request == MU_REQUEST_LIMIT);
	__atomic_store_n(&image->served_serial, serial, __ATOMIC_RELEASE);
}
