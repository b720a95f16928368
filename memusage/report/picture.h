/* picture.h -- Have memusagestat draw the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_PICTURE_H
#define MEMUSAGE_REPORT_PICTURE_H

#include "memusage/options/settings.h"

/* picture_draw -- Runs the memusagestat that is installed next to this program.
 *
 * data  the data file; "" for a nameless one.
 * fd    of the nameless file.
 * Reports failures on standard error.
 */
void picture_draw(const struct settings *settings, const char *data, int fd);

/* picture_name -- Returns FILE, with the suffix ".png" if it is missing; to be freed. */
char *picture_name(const char *file);

#endif
