/* tree_cgroup.h -- Marks and snapshots when the control group runs out of memory.
 *
 * The kernel may kill all processes at once then. So when the group uses 90 % of its limit, each
 * process gets a mark in its recording, with a snapshot of all its places; the same with
 * --snapshot-when=cgroup:N%, which also writes a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* tree_cgroup_begin -- Looks for the memory limits of the group of P, the first process with a live
 * image; does nothing for others. */
void tree_cgroup_begin(struct tree *t, const struct process *p);

/* tree_cgroup_check -- Looks at the use, if it is time, and asks the processes for their marks.
 *
 * Does not wait for them. Returns milliseconds until the next call, or -1: never.
 */
int tree_cgroup_check(struct tree *t);

/* tree_cgroup_report -- Adds a line on the marks to the report, or that there was no limit. */
void tree_cgroup_report(struct tree *t);

/* tree_cgroup_fini -- Closes all files. */
void tree_cgroup_fini(struct tree *t);
