/* finish.h -- report what the library recorded when it worked alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_LAUNCHER_FINISH_H
#define MEMUSAGE_LAUNCHER_FINISH_H

#include "memusage/options/settings.h"

/* finish_run -- print the summary of each file of settings->command, write the data file that
 * MEMUSAGE_OUTPUT or --data names, and remove the recording.
 *
 * Returns an exit status: 0, or that of memusage's own failures if one could not be reported;
 * such a file stays.
 */
int finish_run(const struct settings *settings);

#endif
