/* launcher.h -- run a program as if memusage were not there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_LAUNCHER_LAUNCHER_H
#define MEMUSAGE_LAUNCHER_LAUNCHER_H

#include "memusage/options/settings.h"

/* launcher_run -- start the collector and the program, wait for both, draw the picture.
 *
 * Returns the exit status of the program; ends by the program's signal if that was its end.
 */
int launcher_run(const struct settings *settings);

#endif
