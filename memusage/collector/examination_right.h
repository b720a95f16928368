/* examination_right.h -- Whether the process that an image names may be examined for it.
 *
 * Whoever has mapped an arena can write any process ID into its slots. What examines a process has
 * our rights, and the result goes where the asker can read it. So only a process that could have
 * written the image itself is examined: one that has mapped the arena, is no part of the collector,
 * and has no rights but those of the arena's user.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/collector/tree_state.h"
#include "memusage/trace/tracee_right.h"

/* examination_right_ask -- Returns 0 if the process P may be examined for its image.
 *
 * p      has a slot.
 * right  set to what the examiner asks again when it has stopped the process.
 * Else an error number: EPERM if it has other rights than the arena's user, ESRCH if it has ended,
 * or has not mapped the arena, or is ours; or what the kernel says of its memory, as EACCES.
 * Cost three files of /proc.
 */
int examination_right_ask(const struct tree *t, const struct process *p,
			  struct tracee_right *right);

/* examination_right_is_ours -- Tells whether PID is the collector, or a child of it: these have
 * mapped all arenas, and run no program that is recorded. */
bool examination_right_is_ours(pid_t pid);
