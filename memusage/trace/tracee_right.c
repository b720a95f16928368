/* tracee_right.c -- Whether a process that is traced may still be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_right.h"

#include <stddef.h>
#include <unistd.h>

#include "memusage/common/process.h"

/* Without root's rights the kernel lets us examine nothing that has more than ours. */
bool tracee_right_has_only(pid_t pid, uid_t user)
{
	unsigned int id[PROCESS_IDS];

	if (geteuid() != 0 || user == 0)
		return true;
	if (!process_read_ids(pid, "Uid:", id))
		return false;
	for (int i = 0; i < PROCESS_IDS; i++) {
		if (id[i] != user)
			return false;
	}
	return true;
}

bool tracee_right_holds(const struct tracee_right *r, pid_t pid)
{
	return !r || (tracee_right_has_only(pid, r->user) &&
		      process_maps(pid, r->fd) == PROCESS_HAS_MAPPED);
}
