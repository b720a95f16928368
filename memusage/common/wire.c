/* wire.c -- The messages between launcher and collector.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

int wire_send(int fd, const struct wire *message)
{
	size_t size = offsetof(struct wire, data) + strlen(message->data) + 1;
	ssize_t n;

	do
		n = send(fd, message, size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

int wire_receive(int fd, struct wire *message)
{
	ssize_t n;

	memset(message, 0, sizeof(*message));
	do
		n = recv(fd, message, sizeof(*message), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n <= (ssize_t)offsetof(struct wire, data))
		return -1;
	message->data[sizeof(message->data) - 1] = '\0';
	return 1;
}
