/* recorder_last_event.c -- An image knows the millisecond of its last event, of one thread or of
 * many.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/snapshots.h"

#include "tests/lib/recorder.h"

#define ROOM (UINT64_C(16) << 20)

int main(void)
{
	recorder_image(ROOM, 0);
	EQ_U(rec.image->event_tick, 0);
	snapshots_before(5, false);
	EQ_U(rec.image->event_tick, 5);
	snapshots_before(5, true);
	EQ_U(rec.image->event_tick, 5);
	snapshots_before(7, true);
	EQ_U(rec.image->event_tick, 7);
	/* One thread is left, whose own note of a millisecond is older. */
	snapshots_before(9, false);
	EQ_U(rec.image->event_tick, 9);
	return done_testing();
}
