/* endpoint.h -- The sockets on which new images register.
 *
 * One socket has an abstract name, visible from a chroot but not from another network namespace;
 * the other has a path, for which the opposite is true.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "profile/base/error.h"
#include "recording/registration.h"

struct arena;

struct endpoint {
	int abstract_fd;
	int path_fd;	/* -1 if no directory for a path was found */
	char name[64];	/* abstract, without the leading zero byte */
	char path[108]; /* "" if there is none */
	char dir[108];	/* private directory to be removed with it, or "" */
};

/* endpoint_open -- Creates both sockets; the one with a path is optional.
 *
 * Returns 0, or -1 with ERR.
 */
int endpoint_open(struct endpoint *e, struct mu_error *err);

/* endpoint_listen -- Makes the caller the process that listens, as the kernel tells those who
 * connect from now on. It may be a child of the one that opened the sockets.
 *
 * Source  unix(7), SO_PEERCRED: the credentials are those of listen(2).
 */
void endpoint_listen(const struct endpoint *e);

/* endpoint_forget -- Closes the sockets; keeps the path, which can be removed later. */
void endpoint_forget(struct endpoint *e);

/* endpoint_close -- Closes the sockets and removes the path. */
void endpoint_close(struct endpoint *e);

/* endpoint_receive -- Receives the registration that waits on a connection.
 *
 * peer  receives the kernel's credentials of the sender, in this process's namespaces.
 * Returns 1 with a checked registration (name is terminated), 0 if nothing has arrived yet, -1 if
 * the peer is gone or its message is invalid.
 */
int endpoint_receive(int connection, struct mu_registration *hello, struct ucred *peer);

/* endpoint_reply -- Answers a registration; never waits.
 *
 * a     NULL if status is not MU_REGISTER_RECORD; else its descriptor is attached.
 * slot  that the image was given.
 * Returns 0, or -1 if the peer did not receive it.
 */
int endpoint_reply(int connection, enum mu_registration_status status, const struct arena *a,
		   unsigned int slot);
