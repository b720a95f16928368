/* finish.h -- Report recordings that the preloaded library left without memusage, or a killed run
 * with --durable.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* finish_run -- Prints the summary of each file of settings->command, writes the data file that
 * MEMUSAGE_OUTPUT or --data names, and removes the recording; for runs with --durable see
 * finish_tree.h.
 *
 * Returns an exit status: 0, or 125 if a recording could not be reported. Such a file is kept.
 */
int finish_run(const struct settings *settings);
