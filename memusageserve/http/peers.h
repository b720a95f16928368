/* peers.h -- The connections of a server, and how long each may take.
 *
 * libmicrohttpd ends a connection on which nothing happens. A client that sends a byte now and
 * then, or reads one, would keep it for ever, and with a few more all that there are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "memusageserve/loop/loop.h"

enum {
	PEERS_MAX = 64,			/* connections at a time */
	PEER_REQUEST_MS = 10000,	/* for the whole of a request */
	PEER_ANSWER_MS = 120000		/* for taking an answer */
};

struct peer {
	int fd;
	uint64_t due_ms;	/* when its time is over; UINT64_MAX: it waits for us */
	struct peer *next;
};

struct peers {
	struct loop *loop;
	struct loop_timer timer;
	struct peer *first;
};

/* peers_add -- Notes a connection that has begun; it has time for a request. */
struct peer *peers_add(struct peers *p, int fd);

/* peers_allow -- Gives a connection so much time from now on; UINT64_MAX: any. */
void peers_allow(struct peers *p, struct peer *peer, uint64_t ms);

/* peers_remove -- Forgets a connection that has ended. */
void peers_remove(struct peers *p, struct peer *peer);
