/* names_ahead.h -- Looks up the names of a recording while its program still runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/settings.h"

/* names_ahead_look_up -- Looks up the names of all images of the recording that is the first file,
 * for the names cache alone.
 *
 * Takes only time that no other process wants, and limits its CPU time and memory. Prints nothing.
 * Returns the status of the process: EXIT_FAILURE without a cache, or if this is no recording.
 */
int names_ahead_look_up(const struct settings *settings);
