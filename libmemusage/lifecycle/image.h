/* image.h -- the image of this process: its header, the process that it describes, its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "libmemusage/image/slot.h"

/* image_begin -- make a new image in a claimed, zeroed slot and make it this process's.
 *
 * Sets rec.base, image, slot, pid; fills in header, process, empty tables; the slot becomes
 * LIVE. Returns false if there is no memory for it (the slot is then given up).
 */
bool image_begin(const struct slot *slot);

/* image_inherit -- in a forked child: take over the copy that the parent made.
 *
 * The slot becomes FORKED; the counters of all threads are retired into it, and remembered
 * as the history at the fork. Async-signal-safe.
 */
void image_inherit(const struct slot *slot);

/* image_leave_to_parent -- replace the image by a private copy in a forked child.
 *
 * For a child that resumes where a signal handler interrupted the hook, in the middle of an event
 * of its parent: it finishes that event on the copy, at the same addresses, which no process reads.
 * Async-signal-safe. Without memory for the copy the end of that event counts twice in the parent's
 * image.
 */
void image_leave_to_parent(void);

/* image_unmap -- unmap the image, and what else this process has of the segment.
 *
 * For a child that is not recorded, outside the hook and before it has another thread. Afterwards
 * there is no image, and no thread has a record. Async-signal-safe.
 */
void image_unmap(void);

/* image_exit -- note that exit handlers ran, and the caller's final stack mark. */
void image_exit(void);

/* image_note_end -- note that the process is about to end.
 *
 * end     MU_END_EXIT or MU_END_IMMEDIATE.
 * status  that it passes.
 * Does nothing in a child of vfork(), whose memory is its parent's, nor in a sandbox, where a
 * system call may kill. Async-signal-safe.
 */
void image_note_end(enum mu_end end, int status);

/* image_note_reaped -- note how a child of this process ended.
 *
 * status  as wait() gives it; of a child that was stopped or continued, nothing is noted.
 * Makes no system call. Does nothing in a process that does not record. Any thread;
 * async-signal-safe; errno stays.
 */
void image_note_reaped(pid_t pid, int status);
