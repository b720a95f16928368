/* outputs.h -- Check before the run that its pictures and profiles can be written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* outputs_check -- Checks that the files of SETTINGS can be written.
 *
 * program  the file that is executed; NULL: none is.
 * Dies with a message if a file cannot be written, is to be written twice or is the program, or if
 * memusagestat or its page is needed but not installed. The data file and the recording are opened
 * at once and check themselves.
 */
void outputs_check(const struct settings *settings, const char *program);
