/* change_user.h -- a process that gives up root's rights leaves the memory that root's processes
 * record into.
 *
 * A process that has a segment mapped can write into the images of all processes in it, and their
 * recorders follow the offsets there. A child that a root process makes for risky work (sshd,
 * postfix) must lose that memory: the collector copies the child's image into a segment of its new
 * user, and the child maps that at the same addresses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The user IDs of a process. */
struct user_ids {
	uint32_t real, effective, saved;
};

/* change_user_now -- return the user IDs of this process. Async-signal-safe. */
struct user_ids change_user_now(void);

/* change_user_before -- the program is about to change its user IDs.
 *
 * next  the IDs that it will have.
 * The image moves if root is among its IDs now and will not be. If the image cannot move (the
 * collector is gone or refuses, a thread does not leave the hook), the recording ends here.
 * Nothing happens in a child of vfork(), which is in its parent's memory.
 * Call outside the hook, before the system call. errno is kept. Async-signal-safe. Cost: a copy of
 * the image.
 */
void change_user_before(struct user_ids next);
