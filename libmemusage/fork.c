/* fork.c -- a forked child continues with its parent's history in a slot of its own.
 *
 * The parent copies before it forks, with all writers stopped: the child then needs no
 * descriptor and no system call, and finds a consistent copy. Logs are not copied.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/fork.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "libmemusage/alone.h"
#include "libmemusage/batch.h"
#include "libmemusage/arena.h"
#include "libmemusage/emulated.h"
#include "libmemusage/export.h"
#include "libmemusage/hello.h"
#include "libmemusage/image.h"
#include "libmemusage/instructions.h"
#include "libmemusage/real.h"
#include "libmemusage/recorder.h"
#include "libmemusage/slot.h"
#include "libmemusage/snapshots.h"
#include "libmemusage/sys.h"
#include "libmemusage/thread.h"

static struct slot child;
static bool child_ready;
/* Slot + 1 that the last fork of this thread took from our own segment. */
static __thread uint32_t claimed;

static bool is_recorded(void)
{
	return (rec.state == STATE_ON || rec.state == STATE_FORKED) && rec.pid == sys_getpid();
}

static bool copy_image(void)
{
	uint64_t used = rec.image->used;

	if (!slot_claim(&child) && !(rec.alone ? alone_fork(&child) : hello_fork(&child)))
		return false;
	if (used > child.capacity ||
	    !arena_populate(child.base, (used + MU_PAGE - 1) & -(uint64_t)MU_PAGE)) {
		slot_release(&child);
		return false;
	}
	memcpy(child.base, rec.base, used);
	return true;
}

/* libc runs this last of all prepare handlers, since it was registered first. */
static void before(void)
{
	child_ready = false;
	if (!is_recorded())
		return;
	if (has_self())
		batch_close(self);
	__atomic_fetch_or(&gate.mode, MODE_STOP, __ATOMIC_SEQ_CST);
	if (gate.mode & MODE_MANY)
		thread_quiesce();
	emulated_pause();
	child_ready = copy_image();
	emulated_resume();
	if (!child_ready)
		rec.image->drops.forks++;
}

/* What was mapped for the child alone is its own business now, and that of the collector. */
static void in_parent(void)
{
	claimed = child_ready && !child.own_map[0] ? child.index + 1 : 0;
	if (child_ready)
		slot_unmap(&child);
	__atomic_fetch_and(&gate.mode, (uint16_t)~MODE_STOP, __ATOMIC_SEQ_CST);
}

/* Only here is it known that no child came of it: libc calls in_parent() all the same. */
EXPORT pid_t fork(void)
{
	claimed = 0;
	pid_t pid = real.fork();
	if (pid < 0 && claimed)
		slot_keep(claimed - 1);
	return pid;
}

/* The kernel has wiped the gate. It stays closed until the child's first event, so that a
 * child that only execs is never announced. */
static void in_child(void)
{
	slot_forget();
	/* An emulator may not wipe it. */
	if (unlikely(gate.on))
		gate.on = 0;
	if (rec.state != STATE_ON && rec.state != STATE_FORKED)
		return;
	if (!child_ready) {
		rec.state = STATE_OFF;
		return;
	}
	image_inherit(&child);
	emulated_begin();
	instructions_attach();
	snapshots_find_clock();
	rec.state = STATE_FORKED;
}

void fork_init(void)
{
	pthread_atfork(before, in_parent, in_child);
}
