/* attach_options.h -- The options of recording a process that runs already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* attach_options_duration -- Parses a time; an opt_fn, data being a number of nanoseconds. */
const char *attach_options_duration(const struct opt *option, const char *arg, void *data);

/* attach_options_check -- Ends with a message if other options are of no use with --attach.
 *
 * tool     of the messages.
 * operand  the first word that is no option, NULL if there is none.
 * Settles what the recorder cannot do in a process that it did not begin with.
 */
void attach_options_check(struct settings *s, const struct opt_tool *tool, const char *operand);
