/* command_line.h -- Parses the command line of memusageprint.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/settings.h"

/* command_line_parse -- Returns the settings of this run; exits with status 2 on an error.
 *
 * Not reentrant. The strings point into ARGV.
 */
const struct settings *command_line_parse(int argc, char **argv);
