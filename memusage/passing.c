/* passing.c -- messages between processes that may carry a descriptor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/passing.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union descriptor {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int passing_send(int connection, const void *data, size_t size, int fd, int flags)
{
	union descriptor control = { .room = { 0 } };
	struct iovec part = { (void *)(uintptr_t)data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.room);
	}
	return sendmsg(connection, &message, flags | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

ssize_t passing_receive(int connection, void *data, size_t size, int *fd)
{
	union descriptor control;
	struct iovec part = { data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t length = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*fd = -1;
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(header), sizeof(int));
	return length;
}
