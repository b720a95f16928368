/* registration.h -- new images that ask to be recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_REGISTRATION_H
#define MEMUSAGE_COLLECTOR_REGISTRATION_H

#include "memusage/collector/tree.h"

/* Connections that have not said anything yet; more than anybody needs. */
enum { HELLOS_WAITING = 32 };

struct hellos {
	struct tree *tree;
	void (*learn_root)(void *data);
	void *data;
	int waiting[HELLOS_WAITING];	/* -1: none */
	unsigned int next;		/* the oldest of them */
	int reserve;			/* a descriptor to be given up for a connection, -1 */
};

/* hellos_init -- begin.
 *
 * learn_root  called before a hello is judged: is to find out tree->root.
 * Returns 0, or -1 with errno when there is no descriptor left for anybody.
 */
int hellos_init(struct hellos *h, struct tree *tree, void (*learn_root)(void *data), void *data);

/* hellos_accept -- answer whoever has knocked at the listening socket FD. */
void hellos_accept(struct hellos *h, int fd);

/* hellos_ready -- a waiting connection can be read. Other descriptors are ignored. */
void hellos_ready(struct hellos *h, int fd);

#endif
