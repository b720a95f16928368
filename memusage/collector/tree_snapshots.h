/* tree_snapshots.h -- Write the files of automatic snapshots.
 *
 * A snapshot that the recorder took is in its image. The collector copies it to a nameless file at
 * once, and memusageprint makes the profiles, one at a time. A child of the collector takes the
 * other snapshots from outside, as `memusage --pid` does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusage/collector/tree_state.h"

/* tree_snapshots_begin -- Resets the state of a process with a new image. */
void tree_snapshots_begin(struct process *p);

/* tree_snapshots_advance -- Copies the snapshots that have arrived, and starts the next jobs. */
void tree_snapshots_advance(struct tree *t);

/* tree_snapshots_check_sample -- Compares a sample of a process's memory with the thresholds. */
void tree_snapshots_check_sample(struct tree *t, struct process *p, const struct image *im,
				 const struct mu_sample *sample, uint64_t rss_peak);

/* tree_snapshots_end -- Takes the outstanding snapshots of a complete image before its slot is
 * freed. */
void tree_snapshots_end(struct tree *t, struct process *p);

/* tree_snapshots_child_ended -- Handles the readable pidfd FD. Returns false if none of these
 * children has it. */
bool tree_snapshots_child_ended(struct tree *t, int fd);

/* tree_snapshots_last, tree_snapshots_pending -- Return the number of the last snapshot so far, and
 * whether the file of any snapshot up to NUMBER is missing. */
uint64_t tree_snapshots_last(void);
bool tree_snapshots_pending(uint64_t number);

/* tree_snapshots_must_poll -- Tells whether a child without a pidfd must be polled. */
bool tree_snapshots_must_poll(void);

/* tree_snapshots_finish -- Waits for all files. */
void tree_snapshots_finish(struct tree *t);

/* tree_snapshots_report -- Adds a line for the snapshots that had none of their own. */
void tree_snapshots_report(struct tree *t);
