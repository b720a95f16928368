/* control_samples.h -- The samples of memory that a client of a collector gets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* control_samples_open -- Makes a file of struct control_samples, with a sample of now.
 *
 * arena  of the processes.
 * one    the only process that is wanted; NULL: all that live.
 * Returns a descriptor that the caller closes, or -1 with errno. Processes without samples are not
 * in the file.
 * Cost   one look into /proc and at most 80 KiB for each process.
 */
int control_samples_open(struct tree *t, const struct arena *arena, const struct process *one);
