/* remote_tool.h -- Run memusageprint or memusagestat for a command of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

/* remote_tool_start -- Starts the program NAME that is installed next to this one.
 *
 * argv     ended by NULL; freed with its items.
 * kept     descriptors that the program inherits, ended by -1.
 * Returns its process ID, or -1 after a message.
 */
pid_t remote_tool_start(const char *name, char **argv, const int *kept);

/* remote_tool_wait -- Waits until it has ended. Returns 0 if it succeeded, or -1, after a message
 * if it was killed. */
int remote_tool_wait(const char *name, pid_t pid);
