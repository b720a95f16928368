/* classic_picture.h -- glibc's graph of a data file: frame, scales, texts, and the plot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gd.h>

#include "memusagestat/data_input.h"
#include "memusagestat/settings.h"

/* classic_picture_draw -- Draws the run IN.
 *
 * Reads all events of IN once. The palette is that of enum color.
 * Returns the image, for gdImageDestroy(); dies without memory.
 */
gdImagePtr classic_picture_draw(struct data_input *in, const struct settings *settings);
