/* picture.h -- have memusagestat draw the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_PICTURE_H
#define MEMUSAGE_REPORT_PICTURE_H

#include "memusage/options/settings.h"

/* picture_draw -- run the memusagestat that lies beside this program.
 *
 * data  the data file; "" for a nameless one.
 * fd    of the nameless file.
 * What goes wrong is said on standard error.
 */
void picture_draw(const struct settings *settings, const char *data, int fd);

/* picture_name -- FILE, with ".png" behind it unless it ends so. To be freed. */
char *picture_name(const char *file);

#endif
