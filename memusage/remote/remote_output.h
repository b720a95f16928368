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

/* remote_output_unused_name -- Returns the name of the tree with the first number in it that no
 * file has yet, to be freed: another user must not choose it. NULL after a message. */
char *remote_output_unused_name(const struct remote *r);
