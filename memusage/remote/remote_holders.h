/* remote_holders.h -- The command holders of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_holders_run -- Examines what holds the blocks of the process, and prints the report, or
 * keeps it in the recording that the operand names. Returns 0, or -1 after a message. */
int remote_holders_run(struct remote *r);
