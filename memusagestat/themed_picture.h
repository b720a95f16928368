/* themed_picture.h -- pictures that are made of a drawing list: PNG, SVG or PostScript.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_THEMED_PICTURE_H
#define MEMUSAGESTAT_THEMED_PICTURE_H

#include "memusagestat/settings.h"

/* themed_picture_is_wanted -- whether the settings ask for such a picture of the input, and not for
 * glibc's graph of a data file. A pipe is taken for a data file here. */
bool themed_picture_is_wanted(const struct settings *settings);

/* themed_picture_run -- draw settings->kind of settings->input.
 *
 * Dies if the input cannot be read, or does not know what is to be drawn. Returns 0, or -1 after a
 * warning when the picture could not be written.
 */
int themed_picture_run(const struct settings *settings);

#endif
