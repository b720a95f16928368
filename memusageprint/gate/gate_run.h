/* gate_run.h -- Judges recordings by the conditions of --fail-if and --budget.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/settings.h"

enum { GATE_BROKEN_STATUS = 100 };

/* gate_run -- Judges the files, which are runs of one program, and prints what it found.
 *
 * Returns the exit status: 0; GATE_BROKEN_STATUS if a condition is broken; otherwise EXIT_FAILURE
 * if one could not be judged, or after a warning.
 */
int gate_run(const struct settings *settings);
