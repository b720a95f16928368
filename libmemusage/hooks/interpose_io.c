/* interpose_io.c -- what the kernel reads from and writes to the caller's memory.
 *
 * All are cancellation points: nothing may be held while the real function runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

static ssize_t touch_received(void *to, ssize_t n)
{
	if (n > 0)
		touch_write(to, (uint64_t)n);
	return n;
}

static ssize_t touch_sent(const void *from, ssize_t n)
{
	if (n > 0)
		touch_read(from, (uint64_t)n);
	return n;
}

static ssize_t touch_parts(const struct iovec *part, size_t count, ssize_t n, bool is_write)
{
	size_t left = n > 0 ? (size_t)n : 0;

	for (size_t i = 0; i < count && left; i++) {
		size_t bytes = part[i].iov_len < left ? part[i].iov_len : left;
		access_range(part[i].iov_base, bytes, is_write);
		left -= bytes;
	}
	return n;
}

EXPORT ssize_t read(int fd, void *to, size_t n)
{
	return touch_received(to, NEXT(read)(fd, to, n));
}

EXPORT ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	return touch_received(to, NEXT(pread)(fd, to, n, at));
}

EXPORT ssize_t pread64(int fd, void *to, size_t n, off64_t at) __attribute__((alias("pread")));

EXPORT ssize_t readv(int fd, const struct iovec *part, int count)
{
	return touch_parts(part, (size_t)count, NEXT(readv)(fd, part, count), true);
}

EXPORT ssize_t preadv(int fd, const struct iovec *part, int count, off_t at)
{
	return touch_parts(part, (size_t)count, NEXT(preadv)(fd, part, count, at), true);
}

EXPORT ssize_t preadv64(int fd, const struct iovec *part, int count, off64_t at)
	__attribute__((alias("preadv")));

EXPORT ssize_t write(int fd, const void *from, size_t n)
{
	return touch_sent(from, NEXT(write)(fd, from, n));
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	return touch_sent(from, NEXT(pwrite)(fd, from, n, at));
}

EXPORT ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
	__attribute__((alias("pwrite")));

EXPORT ssize_t writev(int fd, const struct iovec *part, int count)
{
	return touch_parts(part, (size_t)count, NEXT(writev)(fd, part, count), false);
}

EXPORT ssize_t pwritev(int fd, const struct iovec *part, int count, off_t at)
{
	return touch_parts(part, (size_t)count, NEXT(pwritev)(fd, part, count, at), false);
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *part, int count, off64_t at)
	__attribute__((alias("pwritev")));

EXPORT ssize_t recv(int fd, void *to, size_t n, int flags)
{
	return touch_received(to, NEXT(recv)(fd, to, n, flags));
}

EXPORT ssize_t recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from,
			socklen_t *length)
{
	return touch_received(to, NEXT(recvfrom)(fd, to, n, flags, from, length));
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n = NEXT(recvmsg)(fd, message, flags);

	return touch_parts(message->msg_iov, message->msg_iovlen, n, true);
}

EXPORT ssize_t send(int fd, const void *from, size_t n, int flags)
{
	return touch_sent(from, NEXT(send)(fd, from, n, flags));
}

EXPORT ssize_t sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
		      socklen_t length)
{
	return touch_sent(from, NEXT(sendto)(fd, from, n, flags, to, length));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t n = NEXT(sendmsg)(fd, message, flags);

	return touch_parts(message->msg_iov, message->msg_iovlen, n, false);
}

EXPORT ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	return touch_received(to, NEXT(__read_chk)(fd, to, n, room));
}

EXPORT ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	return touch_received(to, NEXT(__pread_chk)(fd, to, n, at, room));
}

EXPORT ssize_t __pread64_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	return touch_received(to, NEXT(__pread64_chk)(fd, to, n, at, room));
}

EXPORT ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	return touch_received(to, NEXT(__recv_chk)(fd, to, n, room, flags));
}

EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
			      struct sockaddr *from, socklen_t *length)
{
	return touch_received(to, NEXT(__recvfrom_chk)(fd, to, n, room, flags, from, length));
}
