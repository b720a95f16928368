/* registration.c -- new images that ask to be recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/registration.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/user.h"
#include "memusage/collector/control.h"

/* Between a process that is known and one that it started, by programs that are not. */
enum { ANCESTORS = 8 };

int hellos_init(struct hellos *h, struct tree *tree, void (*learn_root)(void *data), void *data)
{
	*h = (struct hellos){ .tree = tree, .learn_root = learn_root, .data = data };
	for (unsigned int i = 0; i < HELLOS_WAITING; i++)
		h->waiting[i] = -1;
	h->reserve = fcntl(tree->event, F_DUPFD_CLOEXEC, 3);
	return h->reserve < 0 ? -1 : 0;
}

/* glibc's rule: the name is equal to the last part of argv[0]. */
static bool is_wanted(const struct tree *t, const struct mu_registration *hello, pid_t pid)
{
	const struct settings *s = t->s->settings;

	if (s->trace_children == TRACE_NO && pid != t->root)
		return false;
	return !s->progname || strcmp(s->progname, hello->name) == 0;
}

/* Another user must not get at the memory of this tree, least of all at root's. A program that
 * has changed its user is still known by its process, or by one of its ancestors. */
static bool is_of_tree(const struct tree *t, pid_t pid)
{
	for (int generation = 0; generation < ANCESTORS && pid > 1; generation++) {
		if (pid == t->root || processes_find(&t->processes, pid))
			return true;
		pid = process_parent(pid);
	}
	return false;
}

static bool is_ours(const struct tree *t, const struct ucred *peer)
{
	return user_is_self(peer->uid) || is_of_tree(t, peer->pid);
}

/* Of strangers nothing is taken, not even what they have sent: descriptors may come with it. */
static bool is_stranger(const struct hellos *h, int connection)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return true;
	if (user_is_self(peer.uid) || peer.uid == 0)
		return false;
	h->learn_root(h->data);
	return !is_ours(h->tree, &peer);
}

/* A process ID that was in use before may belong to another process by now. */
static struct process *take_up(struct tree *t, pid_t pid)
{
	struct process *p = processes_find(&t->processes, pid);

	if (p && process_is_dead(p)) {
		p->has_ended = true;
		tree_end_image(t, p, TREE_DEATH);
	} else if (p) {
		tree_end_image(t, p, TREE_EXEC);
	}
	return tree_watch(t, pid);
}

static void record(struct hellos *h, int connection, pid_t pid, uid_t uid)
{
	struct tree *t = h->tree;
	struct process *p = take_up(t, pid);
	struct arena *a;

	if (t->owner == 0 && (t->s->settings->progname || pid == t->root))
		t->owner = pid;
	a = tree_claim(t, p, datafiles_has(&t->s->files, pid == t->owner), uid);
	if (!a) {
		t->refused++;
		endpoint_reply(connection, MU_REGISTER_FULL, NULL, 0);
		return;
	}
	if (endpoint_reply(connection, MU_REGISTER_RECORD, a, (unsigned int)p->slot) < 0)
		tree_end_image(t, p, TREE_DEATH);
}

/* A parent that cannot map other slots, or found none free, takes one for the child it is about
 * to make; who the child is will be seen in the slot. */
static void reserve(struct hellos *h, int connection, const struct mu_registration *hello,
		    const struct ucred *peer)
{
	struct arena *a;
	int slot;

	a = tree_claim_for_child(h->tree, peer->pid, peer->uid, hello->pid, &slot);
	if (!a)
		endpoint_reply(connection, MU_REGISTER_FULL, NULL, 0);
	else if (endpoint_reply(connection, MU_REGISTER_RECORD, a, (unsigned int)slot) < 0)
		arena_free(a, (uint32_t)slot);
}

/* Only a process that is root may name its next user: a segment of root's is for root alone. */
static void move(struct hellos *h, int connection, const struct mu_registration *hello,
		 const struct ucred *peer)
{
	uid_t user = peer->uid == 0 ? hello->user : peer->uid;
	struct process *p;

	/* A child that was forked a moment ago may not have been seen yet. */
	tree_scan(h->tree);
	p = processes_find(&h->tree->processes, peer->pid);
	if (!p || p->slot < 0 || !tree_move(h->tree, p, user))
		endpoint_reply(connection, MU_REGISTER_FULL, NULL, 0);
	else
		endpoint_reply(connection, MU_REGISTER_RECORD, p->arena, (unsigned int)p->slot);
}

/* The image before an exec has ended all the same. */
static void ignore(struct hellos *h, int connection, pid_t pid)
{
	struct process *p = processes_find(&h->tree->processes, pid);

	h->tree->ignored++;
	if (p)
		tree_end_image(h->tree, p, TREE_EXEC);
	endpoint_reply(connection, MU_REGISTER_IGNORE, NULL, 0);
}

static void answer(struct hellos *h, int connection, const struct mu_registration *hello,
		   const struct ucred *peer)
{
	struct tree *t = h->tree;

	h->learn_root(h->data);
	if (hello->version != MU_REGISTER_VERSION || !is_ours(t, peer))
		endpoint_reply(connection, MU_REGISTER_REFUSED, NULL, 0);
	else if (hello->kind == MU_REGISTER_FORK)
		reserve(h, connection, hello, peer);
	else if (hello->kind == MU_REGISTER_MOVE)
		move(h, connection, hello, peer);
	else if (hello->kind != MU_REGISTER_IMAGE)
		endpoint_reply(connection, MU_REGISTER_REFUSED, NULL, 0);
	else if (!is_wanted(t, hello, peer->pid))
		ignore(h, connection, peer->pid);
	else
		record(h, connection, peer->pid, peer->uid);
}

/* Returns whether the connection is finished with. */
static bool serve(struct hellos *h, int connection)
{
	struct mu_registration hello;
	struct ucred peer;
	int result;

	if (control_is_question(connection)) {
		control_answer(h->tree, connection);
		return true;
	}
	result = endpoint_receive(connection, &hello, &peer);
	if (result > 0)
		answer(h, connection, &hello, &peer);
	if (result != 0)
		close(connection);
	return result != 0;
}

/* Whoever connects and says nothing makes room for others in the end. */
static void keep_waiting(struct hellos *h, int connection)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = connection };
	int *place = &h->waiting[h->next++ % HELLOS_WAITING];

	if (*place >= 0)
		close(*place);
	*place = connection;
	epoll_ctl(h->tree->epoll, EPOLL_CTL_ADD, connection, &event);
}

/* Without a descriptor left (ulimit -n) a connection would wait for ever, and we would spin. */
static int accept_somehow(struct hellos *h, int fd)
{
	const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	int connection = accept4(fd, NULL, NULL, flags);

	if (connection >= 0 || (errno != EMFILE && errno != ENFILE))
		return connection;
	/* Something else may have had it for a moment when it was to be taken back. */
	if (h->reserve < 0)
		h->reserve = fcntl(h->tree->event, F_DUPFD_CLOEXEC, 3);
	if (h->reserve < 0)
		return connection;
	close(h->reserve);
	h->reserve = -1;
	return accept4(fd, NULL, NULL, flags);
}

void hellos_accept(struct hellos *h, int fd)
{
	int connection;

	while ((connection = accept_somehow(h, fd)) >= 0) {
		if (is_stranger(h, connection))
			close(connection);
		else if (serve(h, connection))
			;
		else if (h->reserve >= 0)
			keep_waiting(h, connection);
		else
			close(connection);
		if (h->reserve < 0)
			h->reserve = fcntl(h->tree->event, F_DUPFD_CLOEXEC, 3);
	}
}

void hellos_ready(struct hellos *h, int fd)
{
	for (unsigned int i = 0; i < HELLOS_WAITING; i++) {
		if (h->waiting[i] == fd && serve(h, fd))
			h->waiting[i] = -1;
	}
}
