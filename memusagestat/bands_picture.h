/* bands_picture.h -- memusagestat --bands: draws a recording or a massif.out by place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/settings.h"

/* bands_picture_run -- Writes the picture that the settings ask for.
 *
 * Returns 0, or -1 after a warning if the file could not be written. Dies if there is nothing to
 * draw.
 */
int bands_picture_run(const struct settings *settings);
