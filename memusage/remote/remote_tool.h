/* remote_tool.h -- Run memusageprint or memusagestat for a command of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

/* remote_tool_fork -- Makes a child that executes the program NAME (child_execute()).
 *
 * Returns 0 in the child, else its process ID, or -1 after a message.
 */
pid_t remote_tool_fork(const char *name);

/* remote_tool_wait -- Waits until it has ended. Returns 0 if it succeeded, or -1, after a message
 * if it was killed. */
int remote_tool_wait(const char *name, pid_t pid);
