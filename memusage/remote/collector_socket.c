/* collector_socket.c -- A connection to the socket at which a collector listens.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/collector_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/user.h"
#include "cli/xmalloc.h"
#include "memusage/common/fd_passing.h"
#include "profile/base/array.h"

enum { LIST_READINGS = 2 };

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

struct address_list {
	struct collector_address *address;
	uint32_t count, room;
};

/* Unused bytes of a name are zeros. */
static int compare_addresses(const void *one, const void *other)
{
	const struct collector_address *a = one, *b = other;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(&a->name, &b->name, a->length);
}

/* Any user can make thousands of sockets with such a name. */
static void remove_repeated(struct address_list *l)
{
	uint32_t kept = 0;

	if (l->count > 0)
		qsort(l->address, l->count, sizeof(*l->address), compare_addresses);
	for (uint32_t i = 0; i < l->count; i++) {
		if (kept == 0 || compare_addresses(&l->address[kept - 1], &l->address[i]) != 0)
			l->address[kept++] = l->address[i];
	}
	l->count = kept;
}

/* 0000000000000000: 00000002 00000000 00010000 0005 01 35072 @memusage-4711-0123456789abcdef */
static void parse_socket_line(struct address_list *l, const char *line)
{
	struct collector_address a = { .name.sun_family = AF_UNIX };
	const char *name = strstr(line, " @memusage-");
	size_t length;

	/* 00010000 marks a listening socket. */
	if (!name || !strstr(line, " 00010000 "))
		return;
	length = strcspn(name + 2, "\n");
	if (length >= sizeof(a.name.sun_path))
		return;
	memcpy(a.name.sun_path + 1, name + 2, length);
	a.length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	array_reserve(&l->address, &l->room, l->count + UINT64_C(1), sizeof(*l->address));
	l->address[l->count++] = a;
}

size_t collector_socket_list(struct collector_address **all)
{
	struct address_list l = { .count = 0 };
	char *line = NULL;
	size_t size = 0;

	for (int i = 0; i < LIST_READINGS; i++) {
		FILE *in = fopen("/proc/net/unix", "re");

		while (in && getline(&line, &size, in) > 0)
			parse_socket_line(&l, line);
		if (in)
			fclose(in);
		remove_repeated(&l);
	}
	free(line);
	*all = l.address;
	return l.count;
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
