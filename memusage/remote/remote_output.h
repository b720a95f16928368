/* remote_output.h -- Write the file that a command of memusage --pid names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_output_write -- Copies the temporary file r->output_fd to the requested one.
 *
 * The requested file is written with our own rights. If another user chose the content, 1 GiB of it
 * at most.
 * Returns 0, or -1 after a message.
 */
int remote_output_write(const struct remote *r);
