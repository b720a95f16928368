/* perf_map.h -- Names of code made at run time, from the file that a program writes for perf.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "profile/symbols/symbols_job.h"

/* perf_map_read -- Looks up the requests of a job in the file of its options.
 *
 * A later line of the file wins over an earlier one: memory is reused.
 * Returns false if the file cannot be opened, or belongs neither to the options' owner, to root nor
 * to the caller: every user may write into the folder.
 * Source linux/tools/perf/Documentation/jit-interface.txt
 */
bool perf_map_read(const struct symbols_job *job);
