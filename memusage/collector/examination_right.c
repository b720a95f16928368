/* examination_right.c -- Whether the process that an image names may be examined for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/examination_right.h"

#include <errno.h>
#include <unistd.h>

#include "memusage/collector/tree_arenas.h"
#include "memusage/common/process.h"
#include "memusage/trace/tracee_right.h"

bool examination_right_is_ours(pid_t pid)
{
	return pid == getpid() || process_parent(pid) == getpid();
}

int examination_right_ask(const struct tree *t, const struct process *p,
			  struct tracee_right *right)
{
	const struct tree_arena *a = tree_arenas_find(t, p->arena);
	const enum process_mapping mapping = process_maps(p->pid, p->arena->fd);

	if (mapping == PROCESS_MAPPING_UNKNOWN)
		return errno == ENOENT ? ESRCH : errno;
	if (mapping != PROCESS_HAS_MAPPED || !a || examination_right_is_ours(p->pid))
		return ESRCH;
	*right = (struct tracee_right){ p->arena->fd, a->uid };
	return tracee_right_has_only(p->pid, a->uid) ? 0 : EPERM;
}
