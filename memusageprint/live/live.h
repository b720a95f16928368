/* live.h -- The live view of a process: `memusage --live` and `memusage --pid=PID live`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/settings.h"

/* live_run -- Shows the process until the user leaves the view, or with --once prints it once.
 *
 * settings  --live-view names the socket (cli/live_wire.h), the operand the file of the copies.
 * Returns the exit status of the program.
 */
int live_run(const struct settings *settings);
