/* tracee_right.c -- Whether a process that is traced may still be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_right.h"

#include <stddef.h>
#include <unistd.h>

#include "memusage/common/process.h"

/* Without a capability the kernel lets us examine nothing that has more rights than ours, and it
 * leaves a program none that a process executes while we trace it. */
static bool is_privileged(void)
{
	static bool is_known, is_privileged;

	if (!is_known)
		is_privileged = process_status_value(getpid(), "CapEff:", 16, 1) != 0;
	is_known = true;
	return is_privileged;
}

bool tracee_right_has_only(pid_t pid, uid_t user)
{
	unsigned int id[PROCESS_IDS], group[PROCESS_IDS];

	if (!is_privileged() || user == 0)
		return true;
	if (!process_read_ids(pid, id, group))
		return false;
	for (int i = 0; i < PROCESS_IDS; i++) {
		if (id[i] != user)
			return false;
	}
	return true;
}

bool tracee_right_holds(const struct tracee_right *r, pid_t pid)
{
	return !r || !is_privileged() ||
	       (tracee_right_has_only(pid, r->user) &&
		process_maps(pid, r->fd) == PROCESS_HAS_MAPPED);
}
