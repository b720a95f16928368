/* remote_leaks.h -- The command leak_check of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* The words that the command takes, for the help. */
#define REMOTE_LEAKS_WORDS "summary] [kinds SET] [any|new] [FILE"

/* remote_leaks_run -- Examines the process, and prints which of its blocks are lost, or what has
 * changed since the last check; or writes a recording with that.
 *
 * Returns 0, or -1 after a message.
 */
int remote_leaks_run(struct remote *r);
