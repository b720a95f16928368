/* tree_snapshots.h -- the files of snapshots that are taken by themselves.
 *
 * What the recorder took lies in its image: it is copied to a nameless file at once, of which
 * memusageprint makes the profile meanwhile, one at a time. What the recorder could not take, or
 * knows nothing of, a child of ours takes from outside, as `memusage --pid` does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_TREE_SNAPSHOTS_H
#define MEMUSAGE_COLLECTOR_TREE_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "memusage/collector/tree.h"

/* tree_snapshots_begin -- a process has a new image: nothing has been taken of it. */
void tree_snapshots_begin(struct process *p);

/* tree_snapshots_advance -- take over what has come, and begin what is to be done. */
void tree_snapshots_advance(struct tree *t);

/* tree_snapshots_check_sample -- a look at a process's memory: is there more than was to be? */
void tree_snapshots_check_sample(struct tree *t, struct process *p, const struct image *im,
				 const struct mu_sample *sample, uint64_t rss_peak);

/* tree_snapshots_end -- an image is complete, and will be given back: take what is still to be. */
void tree_snapshots_end(struct tree *t, struct process *p);

/* tree_snapshots_child_ended -- the pidfd FD can be read. Returns false if it is of none of our
 * children. */
bool tree_snapshots_child_ended(struct tree *t, int fd);

/* tree_snapshots_last, tree_snapshots_pending -- the number of the last snapshot so far, and
 * whether any up to NUMBER is not a file yet. */
uint64_t tree_snapshots_last(void);
bool tree_snapshots_pending(uint64_t number);

/* tree_snapshots_must_poll -- whether a child cannot be waited for but by asking. */
bool tree_snapshots_must_poll(void);

/* tree_snapshots_finish -- wait for all files; a look with a SIGTERM behind it. */
void tree_snapshots_finish(struct tree *t);

/* tree_snapshots_report -- a line for the snapshots that had none of their own. */
void tree_snapshots_report(struct tree *t);

#endif
