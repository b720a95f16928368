/* peers.c -- The connections of a server, and how long each may take.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/peers.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "cli/xmalloc.h"

static void on_due(void *data);

static void set_timer(struct peers *p)
{
	uint64_t due = UINT64_MAX;

	for (const struct peer *peer = p->first; peer; peer = peer->next)
		due = peer->due_ms < due ? peer->due_ms : due;
	if (due == UINT64_MAX)
		loop_clear(p->loop, &p->timer);
	else
		loop_at(p->loop, &p->timer, due, on_due, p);
}

/* libmicrohttpd then sees the end of the connection. */
static void on_due(void *data)
{
	struct peers *p = data;
	const uint64_t now = loop_now();

	for (struct peer *peer = p->first; peer; peer = peer->next) {
		if (peer->due_ms > now)
			continue;
		shutdown(peer->fd, SHUT_RDWR);
		peer->due_ms = UINT64_MAX;
	}
	set_timer(p);
}

struct peer *peers_add(struct peers *p, int fd)
{
	struct peer *peer = xcalloc(1, sizeof(*peer));

	*peer = (struct peer){ .fd = fd, .next = p->first };
	p->first = peer;
	peers_allow(p, peer, PEER_REQUEST_MS);
	return peer;
}

void peers_allow(struct peers *p, struct peer *peer, uint64_t ms)
{
	peer->due_ms = ms == UINT64_MAX ? ms : loop_now() + ms;
	set_timer(p);
}

void peers_remove(struct peers *p, struct peer *peer)
{
	for (struct peer **at = &p->first; *at; at = &(*at)->next) {
		if (*at == peer) {
			*at = peer->next;
			break;
		}
	}
	free(peer);
	set_timer(p);
}
