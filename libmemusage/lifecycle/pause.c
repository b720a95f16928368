/* pause.c -- recording that a client starts and stops, and a process that begins asleep.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pause.h"

#include "libmemusage/image/probes.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/asleep.h"
#include "libmemusage/requests/marks.h"
#include "libmemusage/tables/sampling.h"
#include "libmemusage/tables/thinning.h"

/* A value with which no client wakes a process, unless it is the 4,294,967,294th. */
#define AWAKE_SINCE_START (UINT32_MAX - 1)

void pause_begin(struct thread *thread)
{
	if (!(rec.flags & MU_CFG_START_PAUSED))
		return;
	rec.is_opened_by_probes = false;
	rec.image->stopped = 1;
	rec.image->recorded.began_asleep = 1;
	marks_pause(thread);
}

void pause_open_gate(void)
{
	if (rec.flags & MU_CFG_START_PAUSED)
		rec.awake = &rec.image->recorded.awake;
}

/* R only grows once there are samples. */
static void choose_distance(struct thread *thread)
{
	struct mu_recorded *recorded = &rec.image->recorded;
	uint32_t log2 = __atomic_exchange_n(&recorded->sample_log2, 0, __ATOMIC_ACQUIRE);

	if (log2 < MU_SAMPLE_LOG2_MIN || log2 > MU_SAMPLE_LOG2_MAX ||
	    !(rec.flags & MU_CFG_SAMPLE) || !sampling_lock())
		return;
	if (recorded->sample_is_fixed)
		rec.flags &= ~(uint32_t)MU_CFG_SAMPLE_AUTO;
	else
		rec.flags |= MU_CFG_SAMPLE_AUTO;
	if (!recorded->starts)
		rec.image->sampling.log2 = rec.image->sampling.first_log2 = log2;
	while (sampling_log2() < log2)
		thinning_double(thread);
	sampling_unlock();
}

void pause_start(struct thread *thread)
{
	rec.is_opened_by_probes = false;
	choose_distance(thread);
	if (!__atomic_exchange_n(&rec.image->stopped, 0, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_add(&rec.image->recorded.starts, 1, __ATOMIC_RELAXED);
	/* Another thread may be about to put the process to sleep, which has looked while the
	 * request was taken, and nothing started yet. It has seen another number. */
	if (rec.flags & MU_CFG_START_PAUSED)
		__atomic_store_n(&rec.image->recorded.awake, AWAKE_SINCE_START, __ATOMIC_RELEASE);
	marks_resume(thread);
}

void pause_stop(struct thread *thread)
{
	if (!__atomic_exchange_n(&rec.image->stopped, 1, __ATOMIC_RELAXED))
		marks_pause(thread);
}

void pause_follow_probes(struct thread *thread)
{
	if (!(rec.flags & MU_CFG_START_PAUSED))
		return;
	if (probes_are_wanted() && rec.image->stopped) {
		pause_start(thread);
		rec.is_opened_by_probes = true;
	} else if (rec.is_opened_by_probes && !probes_are_wanted()) {
		rec.is_opened_by_probes = false;
		pause_stop(thread);
	}
}

/* A client that was killed before its request, or a consumer that has gone before any block was
 * recorded, has left the process awake for nothing. A client that wakes it meanwhile stores its
 * request first, and another number. */
static void sleep_again(void)
{
	struct mu_recorded *recorded = &rec.image->recorded;
	uint32_t woken_by = __atomic_load_n(&recorded->awake, __ATOMIC_ACQUIRE);

	if (!recorded->starts && rec.image->stopped &&
	    __atomic_load_n(&rec.image->request, __ATOMIC_ACQUIRE) == MU_REQUEST_NONE)
		__atomic_compare_exchange_n(&recorded->awake, &woken_by, 0, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* A free of a recorded block must be seen also when a client has stopped recording; so only a
 * process that has never recorded sleeps. */
static void wake_for_good(void)
{
	struct mu_recorded *recorded = &rec.image->recorded;

	if (!recorded->awake)
		__atomic_store_n(&recorded->awake, UINT32_MAX, __ATOMIC_RELEASE);
}

bool pause_holds(void)
{
	struct thread *thread;

	if (is_asleep())
		return true;
	if (!gate.on || !(rec.flags & MU_CFG_START_PAUSED))
		return false;
	if (!probes_are_wanted()) {
		sleep_again();
		return false;
	}
	wake_for_good();
	if (rec.image->stopped && (thread = hook_enter())) {
		pause_follow_probes(thread);
		hook_leave(thread);
	}
	return false;
}
