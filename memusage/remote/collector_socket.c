/* collector_socket.c -- A connection to the socket at which a collector listens.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/collector_socket.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/user.h"
#include "memusage/common/fd_passing.h"

static bool get_peer(int fd, struct ucred *peer)
{
	socklen_t length = sizeof(*peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &length) == 0;
}

static bool is_trusted(int fd)
{
	struct ucred peer;

	return get_peer(fd, &peer) && user_is_self(peer.uid);
}

int collector_socket_connect(const struct sockaddr_un *address, size_t length, int *error)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*error = errno;
	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, (socklen_t)length) == 0 &&
	    is_trusted(fd))
		return fd;
	*error = errno;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct collector_address collector_socket_address(int fd)
{
	struct collector_address a = { .length = sizeof(a.name) };

	if (getpeername(fd, (struct sockaddr *)&a.name, &a.length) < 0)
		a.length = 0;
	return a;
}

pid_t collector_socket_peer(int fd)
{
	struct ucred peer;

	return get_peer(fd, &peer) ? peer.pid : 0;
}

bool collector_socket_receive(struct control_answer *a, int fd, int *arena)
{
	ssize_t length;

	*arena = -1;
	memset(a, 0, sizeof(*a));
	length = fd_passing_receive(fd, a, sizeof(*a), arena);
	a->text[CONTROL_TEXT - 1] = '\0';
	return length >= (ssize_t)offsetof(struct control_answer, text) &&
	       a->magic == CONTROL_MAGIC && a->version == CONTROL_VERSION &&
	       a->text_length < CONTROL_TEXT &&
	       (size_t)length >= offsetof(struct control_answer, text) + a->text_length;
}
