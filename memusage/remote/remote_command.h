/* remote_command.h -- The commands of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_command_choose -- Sets r->command and r->operand by the words of the command line, or by
 * the options that mean a command ("--top"). Returns 0, or -1 after a message. */
int remote_command_choose(struct remote *r);

/* remote_command_live -- Returns the command of the live view. */
const struct remote_command *remote_command_live(void);

/* remote_command_help -- Prints the list of commands. Returns 0, or -1. */
int remote_command_help(struct remote *r);
