/* tree.h -- The process tree as the collector knows it: processes, images and their ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_init -- Begins with the session's arena. Returns 0, or -1 with errno. */
int tree_init(struct tree *t, struct session *s);

/* tree_fini -- Closes all files. */
void tree_fini(struct tree *t);

/* tree_claim -- Claims a slot for an image of PROCESS; creates another arena if all are full.
 *
 * log  the image is to log its events.
 * uid  the process's user: a process that has mapped an arena can write into all of its images.
 * Returns the arena, with process->slot set, or NULL.
 */
struct arena *tree_claim(struct tree *t, struct process *process, bool log, uid_t uid);

/* tree_claim_for_child -- Claims a slot for the child that process PARENT is about to fork.
 *
 * uid      the parent's user, as for tree_claim().
 * claimer  the parent's ID in its own namespace.
 * slot     receives the slot of the returned arena.
 * Prefers the parent's arena, where it also frees the slots of dead children. Returns NULL if the
 * parent has no image, or if there is no memory.
 */
struct arena *tree_claim_for_child(struct tree *t, pid_t parent, uid_t uid, uint32_t claimer,
				   int *slot);

/* tree_move -- Copies the image of PROCESS to an arena of user UID, where the process continues.
 *
 * The process does not write into the image meanwhile. It keeps its old slot until it releases it
 * or ends. Returns false, without any change, if there is no memory or the image is already in an
 * arena of that user.
 */
bool tree_move(struct tree *t, struct process *process, uid_t uid);

/* tree_watch -- Adds a process, unless it is known, and watches its pidfd.
 *
 * Returns its entry.
 */
struct process *tree_watch(struct tree *t, pid_t pid);

/* tree_attach -- Takes over a process whose image is in slot 0 of the first arena already. */
void tree_attach(struct tree *t, pid_t pid);

/* tree_arm -- Requests to be woken by all changes of the arenas from now on. */
void tree_arm(struct tree *t);

/* tree_scan -- Checks all slots: adopts forked children, begins live images, frees unused slots. */
void tree_scan(struct tree *t);

/* tree_drain -- Writes the events that have arrived. Returns their number. */
uint64_t tree_drain(struct tree *t);

/* tree_process_ended -- Handles the readable pidfd FD. Returns false if no process or child has
 * it. */
bool tree_process_ended(struct tree *t, int fd);

/* tree_check_ends -- Finishes every process that is known to have ended. */
void tree_check_ends(struct tree *t);

/* tree_end_image -- Writes the outputs of a process's image and frees its slot.
 *
 * Does nothing if the process has no image.
 */
void tree_end_image(struct tree *t, struct process *p, enum tree_end end);

/* tree_shutdown -- Ends all images. */
void tree_shutdown(struct tree *t);

/* tree_end_unmapped -- Ends the images that their processes have unmapped, and all if the tree is
 * over. */
void tree_end_unmapped(struct tree *t);

/* tree_report_running -- Adds lines for the processes that still run to the report. */
void tree_report_running(struct tree *t);

/* tree_has_log -- Tells whether some process logs events, or has just done so. */
bool tree_has_log(const struct tree *t);

/* tree_must_poll -- Tells whether something may happen in the tree that wakes nobody. */
bool tree_must_poll(const struct tree *t);

/* tree_is_empty -- Tells whether no process has a slot or may still get one. */
bool tree_is_empty(const struct tree *t);

/* tree_note_root_status -- Notes how the program of the launcher ended, as wait() gives it. From
 * now on nothing waits for it, even if the process is not known. */
void tree_note_root_status(struct tree *t, int status);

/* tree_remove_arena_files -- Removes the files of the arenas, when the recording has all images:
 * they would only stand in the way of the next run. */
void tree_remove_arena_files(struct tree *t);
