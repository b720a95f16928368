/* enter.c -- entering the hook for the first time, or where that is not simple.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/enter.h"

#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/lifecycle/pending_request.h"
#include "libmemusage/lifecycle/start.h"
#include "libmemusage/lifecycle/threads.h"

static __thread bool attaching;

bool hook_is_under_way(void)
{
	return attaching || (has_self() && thread_is_inside(self) && !hook_recover(self));
}

void enter_if_cloned(void)
{
	struct thread *thread;

	if (gate.on || rec.state != STATE_ON || rec.pid == sys_getpid())
		return;
	thread = hook_enter_slow();
	if (thread)
		hook_leave(thread);
}

struct thread *hook_enter_slow(void)
{
	struct thread *thread = self;

	if (!gate.on) {
		if (rec.state == STATE_NOT_YET)
			recorder_start();
		else if (rec.state != STATE_ON && rec.state != STATE_FORKED)
			return NULL;
		else if (rec.pid != sys_getpid())
			recorder_restart();
		else if (rec.state == STATE_FORKED)
			recorder_announce();
		if (!gate.on)
			return NULL;
		thread = self;
	}
	if (!has_self()) {
		if (attaching)
			return NULL;
		attaching = true;
		thread = thread_attach(NULL);
		attaching = false;
		if (!thread) {
			__atomic_fetch_add(&rec.image->drops.thread_events, 1, __ATOMIC_RELAXED);
			return NULL;
		}
	}
	bool is_asked = pending_request_noticed(thread);
	/* Who knocks just now will do so again. */
	if (!is_asked && thread_is_inside(thread) && !hook_recover(thread)) {
		thread->pub.counters.nested++;
		return NULL;
	}
	hook_begin(thread);
	batch_end(thread);
	coarse_clock_check();
	if (unlikely(is_asked))
		pending_request_serve(thread);
	return thread;
}
