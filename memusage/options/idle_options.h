/* idle_options.h -- Options that change nothing on a command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* idle_options_warn -- Warns of each option that belongs to an output that was not asked for.
 *
 * s         the settings of the command line.
 * defaults  what they would be without one.
 * The tools whose options these are say nothing, but do nothing either.
 */
void idle_options_warn(const struct settings *s, const struct settings *defaults);
