/* output_options.h -- Check the options of pictures and recordings before the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* output_options_check -- Ends with a message if --durable or the options of a picture cannot be
 * fulfilled. */
void output_options_check(const struct settings *settings, const struct opt_tool *tool);
