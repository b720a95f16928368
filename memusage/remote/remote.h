/* remote.h -- `memusage --pid=PID COMMAND`: control a process that runs under memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/options/settings.h"

/* remote_run -- Runs the command of settings->command on process settings->pid.
 *
 * Returns the exit status: 0, or 125 after a message.
 */
int remote_run(const struct settings *settings);

/* remote_watch -- Shows the live view of our child PID, as soon as its recording has begun.
 *
 * settings  of the run.
 * output    file of what the program writes, in which the user can look; -1: none.
 * Returns 0 when the user leaves the view, or when the process ended before there was one; -1 after
 * a message.
 */
int remote_watch(const struct settings *settings, pid_t pid, int output);
