/* remote_live.h -- `memusage --pid=PID live`: a view of the process while it runs.
 *
 * This process reads the memory of the recording, with the rights that that takes. memusageprint,
 * its child, looks up names and draws; it asks for each copy (cli/live_wire.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_live_run -- Shows the view until the user leaves it; with --once prints it as text.
 *
 * Returns 0, or -1 after a message.
 */
int remote_live_run(struct remote *r);
