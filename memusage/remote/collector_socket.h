/* collector_socket.h -- A connection to the socket at which a collector listens.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "memusage/common/control_wire.h"

struct collector_address {
	struct sockaddr_un name;
	socklen_t length;	/* 0: unknown */
};

/* collector_socket_list -- Lists the abstract addresses at which collectors seem to listen.
 *
 * all  receives the addresses, each once; the caller frees it.
 * Returns their number. Any user may listen at such a name.
 * Source  proc(5), /proc/net/unix. The kernel walks over the sockets by their place in a list: it
 *         skips one now and then while others go away (2 of 20,000 readings while three
 *         processes opened and closed sockets, on Linux 6.18), so the list is read twice.
 */
size_t collector_socket_list(struct collector_address **all);

/* collector_socket_connect -- Connects to the socket at an address, at which any user may listen.
 *
 * length  of ADDRESS, in bytes.
 * Returns a descriptor that does not block, which the caller closes; or -1 with *ERROR, an errno,
 * if no process listens, or one of another user.
 * Source  unix(7), SO_PEERCRED.
 */
int collector_socket_connect(const struct sockaddr_un *address, size_t length, int *error);

/* collector_socket_address -- Returns the address to which a descriptor is connected. */
struct collector_address collector_socket_address(int fd);

/* collector_socket_peer -- Returns the process that listens, or 0 if its ID is not visible here. */
pid_t collector_socket_peer(int fd);

/* collector_socket_receive -- Receives the answer to a question. Does not wait.
 *
 * a      receives it; its text is terminated.
 * arena  receives the descriptor that comes with it, which the caller closes, or -1; also if the
 *        answer is not whole.
 * Returns whether there is a whole answer.
 */
bool collector_socket_receive(struct control_answer *a, int fd, int *arena);
