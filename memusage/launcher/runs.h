/* runs.h -- Runs a program several times, and judges all runs together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* runs_run -- Runs the program settings->gate.runs times, one after the other, each recorded in a
 * temporary file, and has memusageprint compare and judge them.
 *
 * A run that fails ends it: its status is returned, or its signal raised. Returns the exit status.
 */
int runs_run(const struct settings *settings);
