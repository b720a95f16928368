/* endpoint.h -- the sockets on which new images ask to be recorded.
 *
 * One has an abstract name, which is seen from a chroot but not from another network
 * namespace; the other a path, for which it is the other way round.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_ENDPOINT_H
#define MEMUSAGE_RECORD_ENDPOINT_H

#include <stdbool.h>
#include <sys/socket.h>

#include "profile/base/error.h"
#include "recording/registration.h"

struct arena;

struct endpoint {
	int abstract_fd;
	int path_fd;	/* -1 if no place for a path was found */
	char name[64];	/* abstract, without the leading zero byte */
	char path[108]; /* "" if there is none */
	char dir[108];	/* private directory to be removed with it, "" none */
};

/* endpoint_open -- make both sockets.
 *
 * A place for the path that cannot be had is no error. Returns 0, or -1 with ERR.
 */
int endpoint_open(struct endpoint *e, struct mu_error *err);

/* endpoint_forget -- close the sockets; the path stays, and can be removed later. */
void endpoint_forget(struct endpoint *e);

/* endpoint_close -- close the sockets; with REMOVE also take the path away. */
void endpoint_close(struct endpoint *e, bool remove);

/* endpoint_receive -- the hello that waits on a connection.
 *
 * peer  the sender as the kernel knows it, in this process's namespaces.
 * Returns 1 with a checked hello (name is terminated), 0 if nothing has come yet, -1 if the
 * peer is gone or talks nonsense.
 */
int endpoint_receive(int connection, struct mu_registration *hello, struct ucred *peer);

/* endpoint_reply -- answer a hello; never waits.
 *
 * a     NULL if status is not MU_REGISTER_RECORD; else its descriptor goes along.
 * slot  that the image was given.
 * Returns 0, or -1 if the peer did not take it.
 */
int endpoint_reply(int connection, enum mu_registration_status status, const struct arena *a,
		   unsigned int slot);

#endif
