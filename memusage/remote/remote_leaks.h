/* remote_leaks.h -- The command leak_check of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* The words that the command takes, for the help. */
#define REMOTE_LEAKS_WORDS "full|summary] [kinds SET"

/* remote_leaks_run -- Examines the process, and prints which of its blocks are lost. Returns 0, or
 * -1 after a message. */
int remote_leaks_run(struct remote *r);
