/* examination_right.c -- Whether the process that an image names may be examined for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/examination_right.h"

#include <errno.h>
#include <unistd.h>

#include "memusage/collector/tree_image.h"
#include "memusage/common/process.h"

bool examination_right_is_ours(pid_t pid)
{
	return pid == getpid() || process_parent(pid) == getpid();
}

/* Without root's rights the kernel lets us examine nothing that has more than ours. */
static bool has_only_rights_of(pid_t pid, uid_t user)
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

int examination_right_ask(const struct tree *t, const struct process *p)
{
	const struct tree_arena *a = tree_image_arena(t, p->arena);
	const enum process_mapping mapping = process_maps(p->pid, p->arena->fd);

	if (mapping == PROCESS_MAPPING_UNKNOWN)
		return errno == ENOENT ? ESRCH : errno;
	if (mapping != PROCESS_HAS_MAPPED || !a || examination_right_is_ours(p->pid))
		return ESRCH;
	return has_only_rights_of(p->pid, a->uid) ? 0 : EPERM;
}
