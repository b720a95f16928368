/* themed_picture.h -- Draws a picture in the light or dark theme, as PNG, SVG or PostScript.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/settings.h"

/* themed_picture_is_wanted -- Returns whether the settings ask for such a picture, and not for
 * glibc's graph of a data file. A pipe is taken for a data file here. */
bool themed_picture_is_wanted(const struct settings *settings);

/* themed_picture_run -- Draws settings->kind from settings->input.
 *
 * Dies if the input cannot be read, or lacks the data for the picture. Returns 0, or -1 after a
 * warning if the picture could not be written.
 */
int themed_picture_run(const struct settings *settings);
