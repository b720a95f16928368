/* launcher.h -- Run a program as if memusage were not there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* launcher_run -- Starts the collector and the program, waits for both, and draws the picture.
 *
 * Returns the exit status of the program, or ends by the signal that killed the program.
 */
int launcher_run(const struct settings *settings);
