/* picture_options.h -- Options of the picture that memusagestat would refuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* picture_options_check -- Reports errors of size and format before the program runs: does not
 * return then. */
void picture_options_check(const struct settings *s);
