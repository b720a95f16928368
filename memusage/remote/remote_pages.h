/* remote_pages.h -- The command pages of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_pages_run -- Prints what the resident memory of a process is for, or keeps it in the
 * recording that the operand names. Returns 0, or -1 after a message. */
int remote_pages_run(struct remote *r);
