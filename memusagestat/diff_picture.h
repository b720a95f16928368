/* diff_picture.h -- Draws a flame graph of two files: what grew and what shrank.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/settings.h"

/* diff_picture_run -- Draws the picture of settings->old_input and settings->input.
 *
 * Dies with a message if a file cannot be read, or does not tell the metric.
 * Returns 0, or -1 after a message: the output could not be written, or a file is cut short.
 */
int diff_picture_run(const struct settings *settings);
