/* control.h -- The collector's side of `memusage --pid`.
 *
 * A client gets the descriptor of the arena and does all the work itself, so the collector never
 * waits for it. Only root and the user that started memusage are served.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* control_is_question -- Tells whether the message on a connection is a question rather than a
 * registration; leaves it there. */
bool control_is_question(int connection);

/* control_answer -- Receives the question and answers it.
 *
 * connection  closed, unless the client wants exclusive use: then it stays open until the client
 *             closes it.
 */
void control_answer(struct tree *t, int connection);

/* control_closed -- Handles that FD is readable: if it is the connection of such a client, the
 * client has gone, and others may come.
 *
 * Returns false if FD is no such connection.
 */
bool control_closed(struct tree *t, int fd);
