/* finish_data.h -- Complete the data file of a run that was killed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* finish_data -- Writes the final headers of the data file that --data names, and draws the picture
 * of --png.
 *
 * Does nothing if neither is wanted. The headers say what the events in the file amount to.
 * Returns 0, or -1 after a warning.
 */
int finish_data(const struct settings *settings);
