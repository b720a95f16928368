/* endpoint.c -- The sockets on which new images register.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/endpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

#include "memusage/common/fd_passing.h"
#include "memusage/common/private_dir.h"
#include "memusage/record/arena.h"

/* Every process of `make -j` may connect at the same moment. */
enum { BACKLOG = 1024 };

static int listen_at(const struct sockaddr_un *address, size_t length)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, (const struct sockaddr *)address, (socklen_t)length) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The names have a fixed length, however many digits the process ID has: they are in the
 * environment, which moves the stack, and the number of instructions of a program depends on the
 * address of its strings.
 *
 * The random number keeps squatters away but is no secret, since /proc/net/unix lists the names:
 * the credentials of every peer are checked.
 */
static int open_abstract(struct endpoint *e)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t random = 0;
	size_t length;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)(uintptr_t)e;
	length = (size_t)snprintf(e->name, sizeof(e->name), "memusage-%07d-%016" PRIx64, getpid(),
				  random);
	memcpy(address.sun_path + 1, e->name, length);
	return listen_at(&address, offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static int open_path(struct endpoint *e)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char dir[sizeof(e->dir)];
	int fd;

	if (!private_dir_shared(dir, sizeof(dir) - 24)) {
		if (!private_dir_new(dir, sizeof(dir) - 24))
			return -1;
		strcpy(e->dir, dir);
	}
	snprintf(e->path, sizeof(e->path), "%.84s/%07d.sock", dir, getpid());
	/* A dead collector of the same process ID may have left it. */
	unlink(e->path);
	strcpy(address.sun_path, e->path);
	fd = listen_at(&address, sizeof(address));
	if (fd < 0) {
		e->path[0] = '\0';
		return -1;
	}
	return fd;
}

int endpoint_open(struct endpoint *e, struct mu_error *err)
{
	*e = (struct endpoint){ .abstract_fd = -1, .path_fd = -1 };
	e->abstract_fd = open_abstract(e);
	if (e->abstract_fd < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot listen: %m");
	e->path_fd = open_path(e);
	return 0;
}

void endpoint_listen(const struct endpoint *e)
{
	if (e->abstract_fd >= 0)
		listen(e->abstract_fd, BACKLOG);
	if (e->path_fd >= 0)
		listen(e->path_fd, BACKLOG);
}

void endpoint_forget(struct endpoint *e)
{
	if (e->abstract_fd >= 0)
		close(e->abstract_fd);
	if (e->path_fd >= 0)
		close(e->path_fd);
	e->abstract_fd = e->path_fd = -1;
}

void endpoint_close(struct endpoint *e)
{
	endpoint_forget(e);
	if (e->path[0])
		unlink(e->path);
	if (e->dir[0])
		rmdir(e->dir);
	*e = (struct endpoint){ .abstract_fd = -1, .path_fd = -1 };
}

int endpoint_receive(int connection, struct mu_registration *hello, struct ucred *peer)
{
	socklen_t length = sizeof(*peer);
	ssize_t n;

	do
		n = recv(connection, hello, sizeof(*hello), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n != sizeof(*hello) || hello->magic != MU_REGISTER_MAGIC)
		return -1;
	hello->name[sizeof(hello->name) - 1] = '\0';
	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &length) < 0 || peer->pid <= 0)
		return -1;
	return 1;
}

int endpoint_reply(int connection, enum mu_registration_status status, const struct arena *a,
		   unsigned int slot)
{
	struct mu_registration_reply reply = { .magic = MU_REGISTER_MAGIC,
					       .status = status,
					       .slot = slot };

	if (a) {
		reply.size = a->view.head.size;
		reply.slots = a->view.head.slots;
		reply.slot_size = a->view.head.slot_size;
	}
	return fd_passing_send(connection, &reply, sizeof(reply), a ? a->fd : -1, MSG_DONTWAIT);
}
