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

/* A function NAME that reads into TO, writes from FROM, or does so for COUNT parts. */
#define RECEIVE(name, parameters, ...) \
	EXPORT ssize_t name parameters { return touch_received(to, NEXT(name)(__VA_ARGS__)); }
#define SEND(name, parameters, ...) \
	EXPORT ssize_t name parameters { return touch_sent(from, NEXT(name)(__VA_ARGS__)); }
#define PARTS(name, is_write, parameters, ...) \
	EXPORT ssize_t name parameters \
	{ \
		return touch_parts(part, (size_t)count, NEXT(name)(__VA_ARGS__), is_write); \
	}
#define SAME(name, other, parameters) \
	EXPORT ssize_t name parameters __attribute__((alias(#other)));

RECEIVE(read, (int fd, void *to, size_t n), fd, to, n)
RECEIVE(pread, (int fd, void *to, size_t n, off_t at), fd, to, n, at)
SAME(pread64, pread, (int fd, void *to, size_t n, off64_t at))
PARTS(readv, true, (int fd, const struct iovec *part, int count), fd, part, count)
PARTS(preadv, true, (int fd, const struct iovec *part, int count, off_t at), fd, part, count, at)
SAME(preadv64, preadv, (int fd, const struct iovec *part, int count, off64_t at))
SEND(write, (int fd, const void *from, size_t n), fd, from, n)
SEND(pwrite, (int fd, const void *from, size_t n, off_t at), fd, from, n, at)
SAME(pwrite64, pwrite, (int fd, const void *from, size_t n, off64_t at))
PARTS(writev, false, (int fd, const struct iovec *part, int count), fd, part, count)
PARTS(pwritev, false, (int fd, const struct iovec *part, int count, off_t at), fd, part, count, at)
SAME(pwritev64, pwritev, (int fd, const struct iovec *part, int count, off64_t at))
RECEIVE(recv, (int fd, void *to, size_t n, int flags), fd, to, n, flags)
RECEIVE(recvfrom,
	(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length),
	fd, to, n, flags, from, length)
SEND(send, (int fd, const void *from, size_t n, int flags), fd, from, n, flags)
SEND(sendto,
     (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length),
     fd, from, n, flags, to, length)

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n = NEXT(recvmsg)(fd, message, flags);

	return touch_parts(message->msg_iov, message->msg_iovlen, n, true);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t n = NEXT(sendmsg)(fd, message, flags);

	return touch_parts(message->msg_iov, message->msg_iovlen, n, false);
}

RECEIVE(__read_chk, (int fd, void *to, size_t n, size_t room), fd, to, n, room)
RECEIVE(__pread_chk, (int fd, void *to, size_t n, off_t at, size_t room), fd, to, n, at, room)
RECEIVE(__pread64_chk, (int fd, void *to, size_t n, off_t at, size_t room), fd, to, n, at, room)
RECEIVE(__recv_chk, (int fd, void *to, size_t n, size_t room, int flags), fd, to, n, room, flags)
RECEIVE(__recvfrom_chk,
	(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from,
	 socklen_t *length),
	fd, to, n, room, flags, from, length)
