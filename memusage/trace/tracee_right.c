/* tracee_right.c -- Whether a process that is traced may still be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_right.h"

#include <grp.h>
#include <stddef.h>
#include <sys/fsuid.h>
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

static bool has_other_user(const struct tracee_right *r)
{
	return r && is_privileged() && r->user != 0;
}

/* The kernel takes the capabilities away that have to do with files, and gives them back. The
 * rights of further groups would be root's. */
bool tracee_right_enter_files(const struct tracee_right *r, pid_t pid)
{
	unsigned int id[PROCESS_IDS], group[PROCESS_IDS];

	if (!has_other_user(r))
		return true;
	if (!process_read_ids(pid, id, group) || setgroups(0, NULL) < 0)
		return false;
	setfsgid(group[1]);
	setfsuid(r->user);
	if ((gid_t)setfsgid((gid_t)-1) == group[1] && (uid_t)setfsuid((uid_t)-1) == r->user)
		return true;
	tracee_right_leave_files(r);
	return false;
}

void tracee_right_leave_files(const struct tracee_right *r)
{
	if (!has_other_user(r))
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}
