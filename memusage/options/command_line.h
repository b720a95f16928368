/* command_line.h -- The options, and the settings that they and the environment make.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/options.h"
#include "memusage/options/settings.h"

/* The option table, for tests. Its values go to one static struct settings. */
extern const struct opt_tool command_line_tool;

/* command_line_parse -- Reads the environment, then the command line.
 *
 * Does not return if the command line is invalid or asks for help. The result is static.
 */
const struct settings *command_line_parse(int argc, char **argv);
