/* remote.h -- `memusage --pid=PID COMMAND`: control a process that runs under memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_REMOTE_H
#define MEMUSAGE_REMOTE_REMOTE_H

#include "memusage/options/settings.h"

/* remote_run -- Runs the command of settings->command on process settings->pid.
 *
 * Returns the exit status: 0, or 125 after a message.
 */
int remote_run(const struct settings *settings);

#endif
