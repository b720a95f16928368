/* owner.h -- the user whose process it is, and how to have no more rights than that user.
 *
 * What a process shows, names or answers is its owner's choice. So root looks at another user's
 * process with that user's rights: whatever it says can reach nothing that its owner cannot reach.
 *
 * Source  credentials(7), capabilities(7), proc(5).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_OWNER_H
#define MEMUSAGE_REMOTE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

struct owner {
	uid_t uid;
	gid_t gid;
	bool is_self;	/* all of its user IDs are our effective one */
};

/* owner_find -- whose process PID is, as the kernel says.
 *
 * Of a process with several user IDs it is the first that is not ours: real, effective, saved, that
 * for files. The group is the real one, since a set-group-ID program has a group that its user may
 * not have.
 * Returns 0, or -1 if there is no such process, or /proc does not show it.
 */
int owner_find(struct owner *o, pid_t pid);

/* owner_become -- have this user's rights and no other, for good.
 *
 * No further groups, no capabilities, no way back, none by what is executed (no_new_privs). All of
 * that is verified. Dies with a message if it is not so. What was opened before stays open.
 */
void owner_become(const struct owner *o);

#endif
