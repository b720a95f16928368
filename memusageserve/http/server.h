/* server.h -- Answers requests by HTTP.
 *
 * libmicrohttpd does the protocol, in our one thread. Answers are made by workers (jobs.h), so a
 * slow answer delays no client; a slow or silent client has its connection ended (peers.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/common/listener.h"
#include "memusageserve/http/jobs.h"
#include "memusageserve/loop/loop.h"

struct server;

/* server_open -- Begins to answer at a socket.
 *
 * All are borrowed until server_close().
 * Returns NULL after a message.
 */
struct server *server_open(struct loop *loop, const struct listener *l, struct jobs *jobs);

/* server_end -- The run is over: accepts nothing more, and answers requests from now on with the
 * reason. */
void server_end(struct server *s, const char *reason);

/* server_is_idle -- Tells whether no client is connected. */
bool server_is_idle(const struct server *s);

/* server_close -- Closes all connections. S may be NULL. */
void server_close(struct server *s);
