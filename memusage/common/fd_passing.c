/* fd_passing.c -- Send and receive messages that may carry a descriptor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/fd_passing.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union descriptor {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int fd_passing_send(int connection, const void *data, size_t size, int fd, int flags)
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

/* Returns FIRST or, if that is negative, the first descriptor of the header; closes the others. */
static int take_descriptors(const struct cmsghdr *header, int first)
{
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < count; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
		if (first < 0)
			first = fd;
		else
			close(fd);
	}
	return first;
}

/* The buffer holds one descriptor, and the kernel closes those that do not fit. CMSG_SPACE() is
 * rounded up: two would fit into that. */
ssize_t fd_passing_receive(int connection, void *data, size_t size, int *fd)
{
	union descriptor control;
	struct iovec part = { data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = CMSG_LEN(sizeof(int)) };
	ssize_t length = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (length < 0)
		return length;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
	     header = CMSG_NXTHDR(&message, header)) {
		if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
			*fd = take_descriptors(header, *fd);
	}
	return length;
}
