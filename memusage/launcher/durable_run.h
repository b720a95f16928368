/* durable_run.h -- A run whose arena is a file (--durable).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/record/session.h"

/* durable_run_prepare -- Moves away what a killed run has left under the name of the recording.
 *
 * Call it before the recording is opened. Dies with a message if too much was left.
 */
void durable_run_prepare(const struct settings *settings);

/* durable_run_create -- Creates the arena of S as a file next to the recording.
 *
 * Dies with a message if its file system could harm the program. Returns false after a warning if
 * the file cannot be made for another reason, such as a full disk: the program has to run.
 */
bool durable_run_create(struct session *s, const struct mu_config *config);

/* durable_run_started -- Gives the file its final name, which depends on the process ID. Does
 * nothing if the arena is in memory. */
void durable_run_started(struct session *s, pid_t program);
