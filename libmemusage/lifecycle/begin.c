/* begin.c -- opening the gate: at the start, and in children.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/begin.h"

#include "libmemusage/base/locks.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/base/trace.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/pause.h"
#include "libmemusage/lifecycle/sampler.h"
#include "libmemusage/lifecycle/standalone.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/pages/pages_start.h"

void recorder_configure(const struct mu_segment *segment)
{
	const struct mu_config *config = &segment->config;

	rec.flags = config->flags;
	rec.log_wake = config->log_wake_records;
	rec.log_limit = config->log_limit;
	rec.log_stamp_every = config->log_stamp_every;
	rec.ticks = config->time_source == MU_TIME_TSC;
}

void recorder_open_gate(void)
{
	uint16_t mode = rec.flags & MU_CFG_LOG ? MODE_LOG : 0;

	if (recorder_keeps_sites())
		mode |= MODE_STACKS;
	if (mode & MODE_STACKS && rec.flags & MU_CFG_SAMPLE)
		mode |= MODE_SAMPLE;
	if (mode & MODE_STACKS && rec.flags & MU_CFG_STACK_BYTES)
		mode |= MODE_DEPTH;
	if (mode & MODE_STACKS && rec.flags & MU_CFG_POINTS)
		mode |= MODE_POINTS;
	if (rec.flags & (MU_CFG_IGNORE | MU_CFG_SNAPSHOT_LOG))
		mode |= MODE_ACCOUNTING;
	if (rec.flags & MU_CFG_FREE_STACKS)
		mode |= MODE_FREES;
	if (rec.flags & MU_CFG_ACCESSES)
		mode |= MODE_ACCESSES;
	if (rec.image->heap.threads > 1)
		mode |= MODE_MANY;
	if (rec.flags & MU_CFG_PAGES)
		mode |= MODE_PAGES;
	if (rec.pauses || rec.flags & MU_CFG_AD_HOC)
		mode |= MODE_PAUSED;
	__atomic_store_n(&gate.mode, mode, __ATOMIC_RELAXED);
	pause_open_gate();
	gate_switch(true);
}

void recorder_announce(void)
{
	if (rec.is_standalone && !standalone_announce()) {
		rec.state = STATE_OFF;
		image_unmap();
		return;
	}
	rec.image->events_seen = 1;
	rec.state = STATE_ON;
	recorder_open_gate();
	if (has_self() && rec.pid == sys_getpid())
		sampler_add(self);
	__atomic_store_n(&slot_entry(rec.slot)->state, MU_SLOT_LIVE, __ATOMIC_RELEASE);
	recorder_wake();
	trace("forked child recording");
}

void recorder_restart(void)
{
	struct slot slot;

	/* The image is the parent's: if that has ended, and no room is left, it cannot be read. */
	rec.state = STATE_STARTING;
	recorder_forget_sleep();
	slot_forget();
	/* The locks of the image are the parent's, which continues. */
	locks_free_all(NULL);
	self = &no_thread;
	if (!rec.is_standalone && slot_claim(&slot) && image_begin(&slot) && thread_attach(NULL)) {
		rec.image->notes |= MU_NOTE_RAW_CLONE | (rec.is_attached ? MU_NOTE_ATTACHED : 0);
		rec.state = STATE_ON;
		pause_begin(self);
		recorder_open_gate();
		if (rec.flags & MU_CFG_PAGES)
			pages_start();
		trace("child of a raw clone() recording");
		return;
	}
	rec.state = STATE_OFF;
	image_unmap();
	trace("child of a raw clone() not recorded");
}
