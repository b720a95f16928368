/* fork.c -- a forked child continues with its parent's history in a slot of its own.
 *
 * The parent copies before it forks, with all writers stopped (stop.h): the child then needs no
 * descriptor and no system call, and finds a consistent copy. Logs are not copied. Since libc 2.36
 * several threads can be in its fork at once; one after the other has its copy made, and goes on to
 * the end of its fork before the next begins. What belongs to a fork is its thread's own.
 *
 * Whatever goes wrong, the child is not recorded, and counted in its parent's drops.forks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/fork.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/emulated/emulated.h"
#include "libmemusage/event/batch.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/standalone.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/snapshots.h"

/* The calling thread's fork, from prepare_fork() to resume_in_parent() or resume_in_child(). */
static __thread struct {
	struct slot child;
	bool is_ready;	 /* the child has a copy */
	bool is_stopped; /* the other threads are */
	bool is_inside;	 /* in a handler that interrupted the hook: the child will go on in there */
	uint32_t claimed; /* slot + 1 that the last fork took from our own segment */
} forking;

static bool is_process_recorded(void)
{
	return (rec.state == STATE_ON || rec.state == STATE_FORKED) && rec.pid == sys_getpid();
}

static void count_lost_child(void)
{
	__atomic_fetch_add(&rec.image->drops.forks, 1, __ATOMIC_RELAXED);
}

static bool copy_image_to(struct slot *child)
{
	uint64_t used = arena_filled();

	if (!slot_claim(child) &&
	    !(rec.is_standalone ? standalone_fork(child) : registration_for_fork(child)))
		return false;
	if (used > child->capacity ||
	    !arena_populate(child->base, (used + MU_PAGE - 1) & -(uint64_t)MU_PAGE)) {
		slot_release(child);
		slot_unmap(child);
		return false;
	}
	memcpy(child->base, rec.base, used);
	((struct mu_image *)child->base)->used = used;
	return true;
}

/* A handler that runs after prepare_fork() all the same may have left the fork by longjmp. */
static void forget_left_fork(void)
{
	if (forking.is_ready && rec.pid == sys_getpid()) {
		slot_release(&forking.child);
		slot_unmap(&forking.child);
	}
	forking.is_ready = forking.is_stopped = forking.is_inside = false;
}

/* libc runs this last of all prepare handlers, since it was registered first: from here to the fork
 * nothing of the program's is executed. But libc waits for locks of its own then. */
static void prepare_fork(void)
{
	const uint64_t *returns_at = (const uint64_t *)__builtin_frame_address(0) + 1;

	forget_left_fork();
	if (!is_process_recorded())
		return;
	forking.is_inside = hook_is_under_way() || hook_recovery_interrupted_ours();
	forking.is_stopped = !forking.is_inside && stop_begin(returns_at);
	if (forking.is_stopped) {
		if (has_self())
			batch_close(self);
		emulated_pause();
		forking.is_ready = copy_image_to(&forking.child);
		emulated_resume();
		stop_loosen();
	}
	if (!forking.is_ready)
		count_lost_child();
}

/* What was mapped for the child alone is its own business now, and that of the collector. */
static void resume_in_parent(void)
{
	struct slot *child = &forking.child;

	forking.claimed = forking.is_ready && !child->own_map[0] ? child->index + 1 : 0;
	if (forking.is_ready)
		slot_unmap(child);
	if (forking.is_stopped)
		stop_end();
	forking.is_ready = false;
}

/* If somebody went on after the copy was made, the private memory of the recorder, which the child
 * has as it was at the fork, does not belong to it. Only the child knows if that was before. */
static bool adopt_copy(void)
{
	if (!forking.is_ready)
		return false;
	if (stop_is_broken()) {
		count_lost_child();
		slot_release(&forking.child);
		return false;
	}
	struct image_maps parents = image_maps_now();
	image_inherit(&forking.child);
	/* Else the child could write into its parent's image, and mlockall() would fill it. */
	if (forking.child.own_map[0])
		image_maps_drop(&parents);
	return true;
}

/* The kernel has wiped the gate. It stays closed until the child's first event, so that a
 * child that only execs is never announced. */
static void resume_in_child(void)
{
	slot_forget();
	/* An emulator may not wipe it. */
	if (unlikely(gate.on))
		gate.on = 0;
	if (rec.state != STATE_ON && rec.state != STATE_FORKED)
		return;
	if (adopt_copy()) {
		emulated_begin();
		instructions_attach();
		snapshots_find_clock();
		rec.state = STATE_FORKED;
	} else {
		if (forking.is_inside)
			image_leave_to_parent();
		locks_free_all(NULL);
		rec.state = STATE_OFF;
	}
	stop_forked();
	forking.is_ready = false;
}

void fork_init(void)
{
	extern void *const __dso_handle __attribute__((visibility("hidden")));
	static bool is_done;

	if (!__atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED))
		real.register_atfork(prepare_fork, resume_in_parent, resume_in_child,
				     (void *)&__dso_handle);
}

/* Only here is it known that no child came of it: libc calls resume_in_parent() all the same. */
EXPORT pid_t fork(void)
{
	forking.claimed = 0;
	pid_t pid = real.fork();
	if (pid < 0 && forking.claimed)
		slot_keep(forking.claimed - 1);
	return pid;
}

/* What pthread_atfork() is made of. Ours are to be registered before those of any library whose
 * constructor runs before our own: then no handler of the program runs between prepare_fork() and
 * the fork. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso)
{
	fork_init();
	return real.register_atfork(prepare, parent, child, dso);
}
