/* chroots.h -- the directories that processes of a tree have for their root: in a chroot, what the
 * recorder knows as /lib/x.so lies somewhere else for us.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_CHROOTS_H
#define MEMUSAGE_COMMON_CHROOTS_H

#include <stddef.h>
#include <sys/types.h>

enum { CHROOTS_MAX = 8 }; /* what is more is not looked below */

struct chroots {
	char *path[CHROOTS_MAX]; /* as we see them; owned */
	size_t count;
};

/* chroots_add -- add the root of a live process, if it is not ours and not known.
 *
 * Of a process that we may not look at, or with a root that we cannot reach, nothing is added.
 * Cost a system call.
 * Source proc(5), /proc/PID/root.
 */
void chroots_add(struct chroots *r, pid_t pid);

/* chroots_free -- release everything. Fine for a zeroed struct. */
void chroots_free(struct chroots *r);

#endif
