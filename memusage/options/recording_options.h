/* recording_options.h -- Checks that the options of what is recorded suit each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* recording_options_check -- Ends with a message if options exclude each other, and sets those that
 * others imply. */
void recording_options_check(struct settings *s, const struct opt_tool *tool);

/* recording_options_check_examined -- Ends with a message if the process is to be examined, and
 * blocks that hold others, or pages, would not be recorded. */
void recording_options_check_examined(const struct settings *s, const struct opt_tool *tool);
