/* tree_holders.h -- What holds the blocks of a process at its automatic snapshots.
 *
 * With --holders a process is examined when a snapshot is begun, from outside and a moment later:
 * the process goes on meanwhile. The results wait here until its image is saved.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree_state.h"
#include "profile/read/image.h"

/* tree_holders_start -- Starts the examination of a process, if the run is with --holders. One that
 * is being examined, that a client works with or that has been examined very often is not.
 *
 * p  lives, and has a slot.
 */
void tree_holders_start(const struct tree *t, const struct process *p);

/* tree_holders_add -- Adds a result that was made otherwise to those of a process.
 *
 * h  from now on owned by this module.
 */
void tree_holders_add(const struct process *p, struct mu_holders *h);

/* tree_holders_pending -- Tells whether an examination goes on, whose end will be an event: until
 * then no other can be made. */
bool tree_holders_pending(const struct process *p);

/* tree_holders_child_ended -- Tells whether the descriptor FD is of a process that examines, which
 * has ended; its result is taken. */
bool tree_holders_child_ended(int fd);

/* tree_holders_attach -- Adds the results to the image of a process that is about to be saved.
 *
 * Waits for the one that is being made, since what it reads is a copy.
 * im  borrows them until tree_holders_forget().
 */
void tree_holders_attach(const struct process *p, struct image *im);

/* tree_holders_forget -- Releases the results of a process. */
void tree_holders_forget(const struct process *p);
