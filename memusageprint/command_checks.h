/* command_checks.h -- Which options of memusageprint exclude each other, or do nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/options.h"
#include "memusageprint/job/settings.h"

/* command_checks -- Checks options that were read one by one.
 *
 * files  the operands, up to NULL.
 * Ends the program with a message about the first two that exclude each other; warns of those that
 * change nothing.
 */
void command_checks(const struct settings *s, const struct opt_tool *tool, char **files);
