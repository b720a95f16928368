/* enter.c -- entering the hook on the slow path: at first events, requests and nested calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/enter.h"

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/lifecycle/begin.h"
#include "libmemusage/lifecycle/pause.h"
#include "libmemusage/lifecycle/pending_request.h"
#include "libmemusage/lifecycle/shared_memory.h"
#include "libmemusage/lifecycle/start.h"
#include "libmemusage/lifecycle/threads.h"

static __thread bool attaching;

bool hook_is_under_way(void)
{
	return attaching || (has_self() && thread_is_inside(self) && !hook_recover(self));
}

void enter_for_start(void)
{
	struct thread *thread = hook_enter();

	if (thread)
		hook_leave(thread);
}

void enter_if_cloned(void)
{
	if (!gate.on && rec.state == STATE_ON && rec.pid != sys_getpid())
		enter_for_start();
}

/* The child of vfork() whose parent is a copy made by a raw clone() that has had no event: the gate
 * is wiped, as the parent's is. */
static bool shares_parents_memory(void)
{
	return !sandbox.is_on && shared_memory_with_parent();
}

/* In memory without an owner the image is that of the process which was copied by a raw clone().
 * The copy begins an image of its own, but not in a child that shares its memory: it cannot make
 * the file of its parent's image; and not in a sandbox, where it does not know its ID and has that
 * of the process. In memory with an owner, the events of a child of vfork() count as its parent's,
 * even the first of all. */
static void begin_at_event(void)
{
	if (rec.state == STATE_NOT_YET)
		recorder_start();
	/* A sandbox of a process that is not recorded may forbid to ask for the process ID. */
	if (gate.on || (rec.state != STATE_ON && rec.state != STATE_FORKED))
		return;
	bool is_own = rec.pid == sys_getpid();
	if (gate.has_owner) {
		if (rec.state == STATE_FORKED && (is_own || !rec.is_standalone))
			recorder_announce();
	} else if (!is_own && !shares_parents_memory()) {
		recorder_restart();
	}
}

struct thread *hook_enter_slow(void)
{
	struct thread *thread = self;

	if (!gate.on) {
		begin_at_event();
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
			count_drop(thread_events);
			return NULL;
		}
	}
	bool is_asked = pending_request_noticed(thread);
	/* A request that arrives now is repeated. */
	if (!is_asked && thread_is_inside(thread) && !hook_recover(thread)) {
		thread->pub.counters.nested++;
		return NULL;
	}
	hook_begin(thread);
	deferred_frees_end(thread);
	coarse_clock_check();
	if (unlikely(is_asked))
		pending_request_serve(thread);
	pause_follow_probes(thread);
	return thread;
}
