/* file_events.c -- Waiting until one of many descriptors can be read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/file_events.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/message.h"

enum { EVENTS_MAX = 64 };

static int set = -1;

bool file_events_begin(void)
{
	set = epoll_create1(EPOLL_CLOEXEC);
	return set >= 0;
}

void file_events_end(void)
{
	close(set);
	set = -1;
}

bool file_events_add(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0;
}

int file_events_add_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 || file_events_add(fd))
		return fd;
	close(fd);
	return -1;
}

void file_events_remove(int fd)
{
	epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL);
}

void file_events_close(int fd)
{
	if (fd < 0)
		return;
	file_events_remove(fd);
	close(fd);
}

int file_events_wait(int *fd, int most, int timeout)
{
	struct epoll_event event[EVENTS_MAX];
	int count = epoll_wait(set, event, most < EVENTS_MAX ? most : EVENTS_MAX, timeout);

	/* Somebody has closed the set. */
	if (count < 0 && errno != EINTR)
		die("cannot wait for processes: %m");
	for (int i = 0; i < count; i++)
		fd[i] = event[i].data.fd;
	return count > 0 ? count : 0;
}

bool file_events_is_ready(int fd)
{
	struct pollfd file = { .fd = fd, .events = POLLIN };

	return poll(&file, 1, 0) > 0 && !(file.revents & POLLNVAL);
}
