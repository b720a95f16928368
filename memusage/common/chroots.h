/* chroots.h -- The root directories of the processes of a tree.
 *
 * In a chroot, the file that the recorder knows as /lib/x.so has another path outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { CHROOTS_MAX = 8 }; /* further root directories are not searched */

struct chroots {
	char *path[CHROOTS_MAX]; /* as seen from outside; owned */
	size_t count;
};

/* chroots_add -- Adds the root directory of a live process if it is neither ours nor known.
 *
 * Adds nothing if we may not inspect the process or cannot reach its root directory.
 * Cost a system call.
 * Source proc(5), /proc/PID/root.
 */
void chroots_add(struct chroots *r, pid_t pid);
