/* control.h -- the collector's side of `memusage --pid`.
 *
 * A client gets the descriptor of the arena and does all the work itself, so that the collector
 * never waits for anybody. Only the user that started memusage, and root, are served.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_CONTROL_H
#define MEMUSAGE_COLLECTOR_CONTROL_H

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* control_is_question -- whether a connection brings one (and not a hello); nothing is taken. */
bool control_is_question(int connection);

/* control_answer -- take the question, and answer it.
 *
 * connection  stays open until its client closes it if the client wanted to be alone; else it
 *             is closed.
 */
void control_answer(struct tree *t, int connection);

/* control_closed -- FD can be read: if it is such a client's, it has gone, and others may come.
 *
 * Returns false if it is nobody's.
 */
bool control_closed(struct tree *t, int fd);

#endif
