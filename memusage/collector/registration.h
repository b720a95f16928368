/* registration.h -- Register new images that ask to be recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree.h"

/* Connections without a message so far; more than honest programs need. */
enum { REGISTRATION_WAITING = 256 };

struct registration {
	struct tree *tree;
	void (*learn_root)(void *data);
	void *data;
	int waiting[REGISTRATION_WAITING]; /* -1: none */
	unsigned int next;		   /* index of the oldest */
	int reserve;			   /* descriptor to give up for a connection, -1 none */
};

/* registration_init -- Prepares to register images.
 *
 * learn_root  called before a registration is judged; has to find out tree->root.
 * Returns 0, or -1 with errno if no descriptor is left.
 */
int registration_init(struct registration *h, struct tree *tree, void (*learn_root)(void *data),
		      void *data);

/* registration_accept -- Accepts and answers the connections of the listening socket FD. */
void registration_accept(struct registration *h, int fd);

/* registration_read -- Reads from the waiting connection FD. Ignores other descriptors. */
void registration_read(struct registration *h, int fd);
