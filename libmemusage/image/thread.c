/* thread.c -- the table of the records of threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/thread.h"

#include <linux/membarrier.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"

#define STUCK_YIELDS 4000u

struct thread no_thread = { .pub.busy = 1 };
__thread struct thread *self = &no_thread;

uint64_t *counters_hist_high(struct mu_counters *counters)
{
	if (!counters->hist_high)
		counters->hist_high = arena_alloc(MU_HIST_HIGH * sizeof(uint64_t), 64);
	if (!counters->hist_high)
		count_drop(hist_high);
	return counters->hist_high ? arena_at(counters->hist_high) : NULL;
}

static void fence_all_threads(void)
{
	/* In a sandbox a fork of several threads may then copy a page that is being changed. */
	if (sandbox.is_on) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return;
	}
	SYS3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (sys_failed(SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)))
		SYS3(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A thread that was waited for in vain gets little time at the next attempt: it may stay in a
 * signal handler for good, and a fork must not wait so long each time. */
static bool await_hook_exit(struct thread *thread)
{
	unsigned int limit = thread->is_stuck ? SPIN_PAUSES + STUCK_YIELDS : UINT32_MAX;

	for (unsigned int turn = 0; thread_is_inside(thread);)
		if (!spin_backoff(&turn) || turn > limit) {
			thread->is_stuck = 1;
			return false;
		}
	thread->is_stuck = 0;
	return true;
}

bool thread_quiesce(void)
{
	fence_all_threads();
	/* A thread that is changing the table now cannot lock it again while it is stopped. */
	if (!spin_lock(&locks.threads))
		return false;
	spin_unlock(&locks.threads);
	uint64_t count = __atomic_load_n(&thread_table()->count, __ATOMIC_ACQUIRE);
	for (uint64_t i = 0; i < count; i++) {
		struct thread *thread = arena_table_at(thread_table(), i);
		if (thread != self && !await_hook_exit(thread))
			return false;
	}
	return true;
}

void thread_for_each(void (*visit)(struct thread *, void *), void *argument)
{
	uint64_t count = __atomic_load_n(&thread_table()->count, __ATOMIC_ACQUIRE);

	for (uint64_t i = 0; i < count; i++) {
		struct thread *thread = arena_table_at(thread_table(), i);
		if (thread->pub.state != MU_THREAD_FREE)
			visit(thread, argument);
	}
}
