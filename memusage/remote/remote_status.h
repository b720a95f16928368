/* remote_status.h -- The state of a process that is recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/remote/contact.h"

/* remote_status -- Prints the state to standard output. Returns 0, or -1 after a message. */
int remote_status(const struct contact *c, pid_t pid);
