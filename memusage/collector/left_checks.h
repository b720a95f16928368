/* left_checks.h -- What was examined of a process just before memusage took the recorder away.
 *
 * The launcher has each result in a file in memory that the collector shares: the process runs on,
 * so nothing of it can wait for an answer, as one that ends does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/collector/tree_state.h"
#include "memusage/record/live.h"

/* left_checks_open -- Makes the files that the options of S need, before there is a collector. */
void left_checks_open(struct session *s);

/* left_checks_make -- Examines process PID, and leaves the results; waits until they are there.
 *
 * l  its recording.
 * A message on standard error names what cannot be examined.
 */
void left_checks_make(const struct session *s, const struct live *l, pid_t pid);

/* left_checks_attach -- Adds the results to the image of the process, which is about to be saved.
 *
 * im  borrows them until left_checks_free().
 */
void left_checks_attach(const struct session *s, const struct process *p, struct image *im);

/* left_checks_free -- Releases what was added to an image; the holders are released by
 * tree_holders_forget(). */
void left_checks_free(struct image *im);
