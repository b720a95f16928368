/* owner.h -- Find the owner of a process, and take that user's rights.
 *
 * The owner of a process controls everything that the process shows, names or answers. So root
 * inspects another user's process with that user's rights: it can then reach nothing that the owner
 * cannot reach.
 *
 * Source  credentials(7), capabilities(7), proc(5).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct owner {
	uid_t uid;
	gid_t gid;
	bool is_self; /* all of its user IDs equal our effective one */
};

/* owner_find -- Finds the owner of process PID according to the kernel.
 *
 * If a process has several user IDs, the first one that is not ours counts: real, effective, saved,
 * file system. The group is the real one, since a set-group-ID program has a group that its user
 * may not have.
 * Returns 0, or -1 if there is no such process, or /proc does not show it.
 */
int owner_find(struct owner *o, pid_t pid);

/* owner_become -- Takes this user's rights and no others, permanently.
 *
 * Drops all supplementary groups and capabilities and sets no_new_privs, verifies the result, and
 * dies with a message on failure. Open files stay open.
 */
void owner_become(const struct owner *o);
