/* registration.h -- new images that ask to be recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_REGISTRATION_H
#define MEMUSAGE_COLLECTOR_REGISTRATION_H

#include "memusage/collector/tree.h"

/* Connections that have not said anything yet; more than anybody needs. */
enum { REGISTRATION_WAITING = 32 };

struct registration {
	struct tree *tree;
	void (*learn_root)(void *data);
	void *data;
	int waiting[REGISTRATION_WAITING]; /* -1: none */
	unsigned int next;		/* the oldest of them */
	int reserve;			/* a descriptor to be given up for a connection, -1 */
};

/* registration_init -- begin.
 *
 * learn_root  called before a hello is judged: is to find out tree->root.
 * Returns 0, or -1 with errno when there is no descriptor left for anybody.
 */
int registration_init(struct registration *h, struct tree *tree, void (*learn_root)(void *data),
		      void *data);

/* registration_accept -- answer whoever has knocked at the listening socket FD. */
void registration_accept(struct registration *h, int fd);

/* registration_read -- a waiting connection can be read. Other descriptors are ignored. */
void registration_read(struct registration *h, int fd);

#endif
