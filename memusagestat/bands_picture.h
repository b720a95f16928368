/* bands_picture.h -- memusagestat --bands: the band graph of a recording or a massif.out as a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_BANDS_PICTURE_H
#define MEMUSAGESTAT_BANDS_PICTURE_H

#include "memusagestat/settings.h"

/* bands_picture_run -- draw what the settings ask for.
 *
 * Returns 0, or -1 after a warning: the file could not be written. Dies if there is nothing to
 * draw.
 */
int bands_picture_run(const struct settings *settings);

#endif
