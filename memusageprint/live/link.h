/* link.h -- The live view's side of its socket to the process that copies for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/live_wire.h"

/* link_ask -- Sends a question. Returns false if the copier is gone. */
bool link_ask(int socket, const struct live_question *question);

/* link_receive -- Waits for the answer. Returns false if the copier is gone. */
bool link_receive(int socket, struct live_answer *answer);
