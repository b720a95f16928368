/* fork.c -- a forked child continues with its parent's history in a slot of its own.
 *
 * The parent copies before it forks, with all writers stopped (stop.h): the child then needs no
 * descriptor and no system call, and finds a consistent copy. Logs are not copied. Since libc 2.36
 * several threads can be in its fork at the same time; they make their copies one after the other,
 * each to the end of its fork before the next begins. The state of a fork is thread-local.
 *
 * fork() does not free the lock of ld.so's list in the child. The child does (list_lock.h), unless
 * a thread was changing the list. If such a thread would have to wait, the stop ends, and there is
 * another one a little later. After that such a thread breaks the stop.
 *
 * If anything fails, the child is not recorded, and is counted in its parent's drops.forks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/fork.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/emulated/emulated.h"
#include "libmemusage/event/deferred_frees.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/list_lock.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/standalone.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/sampling.h"
#include "libmemusage/tables/snapshots.h"

#define COPIES_MAX 6u	/* of the image for one fork */
#define PAUSE_NS 50000u /* between the first two; doubles: 1.5 ms in all */

/* The calling thread's fork, from prepare_fork() to resume_in_parent() or resume_in_child(). */
static __thread struct {
	struct slot child;
	bool is_ready;	 /* the child has a copy */
	bool is_stopped; /* the other threads are */
	bool is_inside;	 /* in a handler that interrupted the hook: the child resumes there */
	uint32_t claimed; /* slot + 1 that the last fork took from our own segment */
} forking;

static bool is_process_recorded(void)
{
	return (rec.state == STATE_ON || rec.state == STATE_FORKED) && rec.pid == sys_getpid();
}

/* By a signal handler, which is about to fork. */
static bool is_event_interrupted(void)
{
	return hook_is_under_way() || hook_recovery_interrupted_ours();
}

static void count_lost_child(void)
{
	__atomic_fetch_add(&rec.image->drops.forks, 1, __ATOMIC_RELAXED);
}

static bool claim_slot(struct slot *child)
{
	return slot_claim(child) ||
	       (rec.is_standalone ? standalone_fork(child) : registration_for_fork(child));
}

/* Fills a slot that was claimed; gives it up if there is no room. */
static bool copy_image_to(struct slot *child)
{
	uint64_t used = arena_filled();

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

static void give_up_copy(void)
{
	slot_release(&forking.child);
	slot_unmap(&forking.child);
	forking.is_ready = false;
}

/* A handler that nevertheless runs after prepare_fork() may have left the fork by longjmp. */
static void forget_left_fork(void)
{
	if (forking.is_ready && rec.pid == sys_getpid())
		give_up_copy();
	forking.is_ready = forking.is_stopped = forking.is_inside = false;
}

/* Returns whether the other threads are stopped. The copy is ready if the child has a slot. */
static bool stop_with_copy(const uint64_t *returns_at)
{
	if (!stop_begin(returns_at))
		return false;
	if (has_self())
		deferred_frees_close(self);
	emulated_pause();
	forking.is_ready = (forking.is_ready || claim_slot(&forking.child)) &&
			   copy_image_to(&forking.child);
	emulated_resume();
	stop_loosen();
	return true;
}

static void pause_between_copies(unsigned int turn)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (PAUSE_NS << turn);

	do
		sys_yield();
	while (clock_ns(CLOCK_MONOTONIC) < end);
}

/* The child would hang if a stopped thread was changing ld.so's list. Such a thread continues, and
 * the image is copied again a little later. */
static void stop_and_copy(const uint64_t *returns_at)
{
	for (unsigned int turn = 0;; turn++) {
		forking.is_stopped = stop_with_copy(returns_at);
		if (!forking.is_stopped || turn == COPIES_MAX - 1 ||
		    (!stop_keeps_list_locked() && !stop_is_broken()))
			break;
		stop_end();
		pause_between_copies(turn);
	}
	if (forking.is_ready && !forking.is_stopped)
		give_up_copy();
}

/* libc runs this last of all prepare handlers, since it was registered first: no code of the
 * program runs from here to the fork. But libc waits for its own locks then. */
static void prepare_fork(void)
{
	const uint64_t *returns_at = (const uint64_t *)__builtin_frame_address(0) + 1;

	forget_left_fork();
	if (!is_process_recorded())
		return;
	sampling_before_fork();
	forking.is_inside = is_event_interrupted();
	if (!forking.is_inside)
		stop_and_copy(returns_at);
	if (!forking.is_ready)
		count_lost_child();
}

/* The pages stay in the file. As long as they are in this process's page tables, too, they are in
 * its resident memory: 36 KiB and more for each child that lives. */
static void forget_copy(const struct slot *child)
{
	uint64_t length = (arena_filled() + MU_PAGE - 1) & -(uint64_t)MU_PAGE;

	if (!child->own_map[0] && !sandbox.is_on)
		SYS3(SYS_madvise, child->base, length, MADV_DONTNEED);
}

/* The child and the collector now own what was mapped for the child only. */
static void resume_in_parent(void)
{
	struct slot *child = &forking.child;

	forking.claimed = forking.is_ready && !child->own_map[0] ? child->index + 1 : 0;
	if (forking.is_ready) {
		forget_copy(child);
		slot_unmap(child);
	}
	if (forking.is_stopped)
		stop_end();
	forking.is_ready = false;
}

/* If a thread continued after the copy was made, the recorder's private memory, which the child has
 * as it was at the fork, does not match the copy. Only the child knows if that came first. */
static bool adopt_copy(void)
{
	if (!forking.is_ready)
		return false;
	if (stop_is_broken()) {
		count_lost_child();
		return false;
	}
	struct image_maps parents = image_maps_now();
	image_inherit(&forking.child);
	/* Else the child could write into its parent's image, and mlockall() would fill it. */
	if (forking.child.own_map[0])
		image_maps_drop(&parents);
	return true;
}

/* The parent's own mappings are unmapped in the child: mlockall() would fill them. */
static void leave_parents_image(void)
{
	locks_free_all(NULL);
	if (forking.is_ready)
		give_up_copy();
	if (forking.is_inside)
		image_leave_to_parent();
	else
		image_unmap();
}

static void forget_parent(void)
{
	sandbox_forked();
	slot_forget();
	recorder_forget_sleep();
	list_lock_forked();
	/* An emulator may not wipe it. */
	if (unlikely(gate.on))
		gate_switch(false);
}

/* The collector may have given the child's slot to another process if the parent ended seconds ago.
 * Then the child begins again at its first event, as that of a raw clone(). */
static bool is_slot_lost(void)
{
	if (!forking.is_ready || slot_adopt(&forking.child))
		return false;
	slot_unmap(&forking.child);
	forking.is_ready = false;
	return true;
}

/* The kernel has wiped the gate. It stays closed until the child's first event, so that a
 * child that only execs is never announced. */
static void resume_in_child(void)
{
	forget_parent();
	if (rec.state != STATE_ON && rec.state != STATE_FORKED)
		return;
	if (is_slot_lost()) {
		stop_forked();
		return;
	}
	if (adopt_copy()) {
		emulated_begin();
		instructions_attach();
		snapshots_find_clock();
		rec.state = STATE_FORKED;
	} else {
		leave_parents_image();
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

/* Only here is it known that no child was made: libc calls resume_in_parent() nevertheless. */
EXPORT pid_t fork(void)
{
	forking.claimed = 0;
	pid_t pid = real.fork();
	if (pid < 0 && forking.claimed)
		slot_keep(forking.claimed - 1);
	return pid;
}

bool fork_needs_copy(void)
{
	return is_process_recorded() && is_event_interrupted();
}

void fork_end_event_on_copy(void)
{
	count_lost_child();
	forget_parent();
	locks_free_all(NULL);
	image_leave_to_parent();
	rec.state = STATE_OFF;
}

#if !__GLIBC_PREREQ(2, 34)
pid_t _Fork(void); /* of newer versions; programs may have been built with one */
#endif

EXPORT pid_t _Fork(void)
{
	real_resolve();
	bool needs_copy = fork_needs_copy();
	pid_t pid = real._Fork();

	if (!pid && needs_copy)
		fork_end_event_on_copy();
	return pid;
}

/* pthread_atfork() calls it. Our handlers must be registered before those of any library whose
 * constructor runs before our own: then no handler of the program runs between prepare_fork() and
 * the fork. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso)
{
	fork_init();
	return real.register_atfork(prepare, parent, child, dso);
}
