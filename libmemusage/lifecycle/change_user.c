/* change_user.c -- a process that gives up root's rights leaves the memory that root's processes
 * record into.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/change_user.h"

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/base/trace.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"
#include "libmemusage/image/shrink.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/lifecycle/enter.h"

struct user_ids change_user_now(void)
{
	struct user_ids ids = { 0 };

	SYS3(SYS_getresuid, &ids.real, &ids.effective, &ids.saved);
	return ids;
}

static bool has_root(struct user_ids ids)
{
	return !ids.real || !ids.effective || !ids.saved;
}

/* An image that no collector looks after is a file of its own. */
static bool shares_its_segment(void)
{
	return recorder_is_on() && !rec.is_standalone;
}

static bool move_image(uint32_t user)
{
	struct image_maps maps = image_maps_now();
	uint32_t index;
	int fd = registration_move_image(user, &maps, &index);

	if (fd < 0)
		return false;
	bool ok = image_maps_replace(&maps, fd, index);
	SYS1(SYS_close, fd);
	if (!ok)
		return false;
	rec.slot = index;
	rec.image->slot = index;
	slot_forget();
	coarse_clock_check();
	recorder_wake();
	return true;
}

/* Threads that are in the hook finish their events in private memory. */
static void end_recording(void)
{
	struct image_maps maps = image_maps_now();

	__atomic_store_n(&rec.state, STATE_OFF, __ATOMIC_RELEASE);
	gate_switch(false);
	image_maps_replace(&maps, -1, 0);
	trace("recording ends: the user changes, and there is no other memory to record into");
}

static void give_up_roots_memory(struct user_ids next)
{
	if (!has_root(change_user_now()) || has_root(next))
		return;
	enter_if_cloned();
	if (!shares_its_segment())
		return;
	if (!stop_begin(NULL)) {
		end_recording();
		return;
	}
	if (!move_image(next.effective)) {
		shrink_to_contents(); /* all of what remains is replaced */
		end_recording();
	}
	stop_end();
}

/* In a sandbox, too, this makes the system calls that it needs: programs give up their rights
 * before they load the filter, and a process of another user must not keep root's memory. */
void change_user_before(struct user_ids next)
{
	const bool is_on = sandbox.is_on;

	if (sandbox.is_strict)
		return;
	sandbox.is_on = false;
	give_up_roots_memory(next);
	sandbox.is_on = is_on;
}
