/* orphans.c -- The recording of a process whose collector is gone, in memory that only it has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/orphans.h"

#include <sys/file.h>

#include "memusage/common/process.h"

/* Selects the slot of a process by its ID in its own namespace. Returns false if it has none. */
static bool select_slot(struct live *l, pid_t pid)
{
	struct mu_slot slot;

	for (uint32_t k = 0; segment_slot(&l->view, k, &slot); k++) {
		if (slot.state == MU_SLOT_LIVE && slot.pid == (uint32_t)pid)
			return live_select(l, k, slot.generation, NULL) == 0;
	}
	return false;
}

void orphans_open(struct contact *c, pid_t pid, const struct mapped_recordings *maps)
{
	for (unsigned int i = 0; i < maps->arenas && c->orphans < CONTACT_ORPHANS; i++) {
		int fd = mapped_recordings_open(pid, maps->arena[i]);

		if (fd >= 0)
			c->orphan[c->orphans++] = fd;
	}
}

static enum contact_status map_orphan(struct contact *c, unsigned int i, pid_t pid)
{
	struct mu_error err;

	if (flock(c->orphan[i], LOCK_EX | LOCK_NB) < 0)
		return CONTACT_BUSY;
	if (live_open(&c->live, c->orphan[i], 0, 0, &err) < 0 ||
	    !select_slot(&c->live, process_own_pid(pid))) {
		live_close(&c->live);
		flock(c->orphan[i], LOCK_UN);
		return CONTACT_NO_IMAGE;
	}
	c->file = c->orphan[i];
	c->orphan[i] = c->orphan[--c->orphans];
	c->answer = (struct control_answer){ .number = 1 };
	return CONTACT_OK;
}

enum contact_status orphans_map(struct contact *c, pid_t pid)
{
	enum contact_status status = c->orphans ? CONTACT_NO_IMAGE : CONTACT_ORPHANED;

	for (unsigned int i = 0; i < c->orphans && status == CONTACT_NO_IMAGE; i++)
		status = map_orphan(c, i, pid);
	return status;
}
