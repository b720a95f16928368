/* registration.c -- Register new images that ask to be recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/registration.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/user.h"
#include "memusage/collector/control.h"
#include "memusage/collector/tree.h"
#include "memusage/common/file_events.h"

/* Maximum distance of a process to a known ancestor; the programs between them are not recorded. */
enum { ANCESTORS = 8 };

int registration_init(struct registration *h, struct tree *tree, void (*learn_root)(void *data),
		      void *data)
{
	*h = (struct registration){ .tree = tree, .learn_root = learn_root, .data = data };
	for (unsigned int i = 0; i < REGISTRATION_WAITING; i++)
		h->waiting[i] = -1;
	endpoint_listen(&tree->s->endpoint);
	h->reserve = fcntl(tree->event, F_DUPFD_CLOEXEC, 3);
	return h->reserve < 0 ? -1 : 0;
}

/* As in glibc, the name must equal the last part of argv[0]. */
static bool is_wanted(const struct tree *t, const struct mu_registration *hello, pid_t pid)
{
	const struct settings *s = t->s->settings;

	if (s->trace_children == TRACE_NO && pid != t->root)
		return false;
	return !s->progname || strcmp(s->progname, hello->name) == 0;
}

/* Another user must not get access to the memory of this tree, least of all to root's. A program
 * that has changed its user is still known by its process or by one of its ancestors. */
static bool has_tree_ancestor(const struct tree *t, pid_t pid)
{
	for (int generation = 0; generation < ANCESTORS && pid > 1; generation++) {
		if (pid == t->root || processes_find(&t->processes, pid))
			return true;
		pid = process_parent(pid);
	}
	return false;
}

static bool is_permitted_peer(const struct tree *t, const struct ucred *peer)
{
	return user_is_self(peer->uid) || has_tree_ancestor(t, peer->pid);
}

/* Nothing is received from another user, since descriptors may be attached. */
static bool is_foreign_user(const struct registration *h, int connection)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return true;
	if (user_is_self(peer.uid) || peer.uid == 0)
		return false;
	h->learn_root(h->data);
	return !is_permitted_peer(h->tree, &peer);
}

/* A program that is executed has none of our memory. So a process that has is another one, which
 * got the ID of one that registered and has ended, or it has a second recorder: an emulator that is
 * recorded, and the program in it. */
static bool has_image(const struct tree *t, pid_t pid)
{
	const struct process *p = processes_find(&t->processes, pid);

	return p && p->slot >= 0 && process_maps(pid, p->arena->fd) == PROCESS_HAS_MAPPED;
}

/* The process ID may have been reused. */
static struct process *watch_new_image(struct tree *t, pid_t pid)
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

static void register_image(struct registration *h, int connection, pid_t pid, uid_t uid)
{
	struct tree *t = h->tree;
	struct process *p = watch_new_image(t, pid);
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

/* A parent that cannot map other slots, or found none free, asks for a slot for the child that it
 * is about to fork. The slot will show the child's process ID. */
static void reserve_child_slot(struct registration *h, int connection,
			       const struct mu_registration *hello, const struct ucred *peer)
{
	struct arena *a;
	int slot;

	a = tree_claim_for_child(h->tree, peer->pid, peer->uid, hello->pid, &slot);
	if (!a)
		endpoint_reply(connection, MU_REGISTER_FULL, NULL, 0);
	else if (endpoint_reply(connection, MU_REGISTER_RECORD, a, (unsigned int)slot) < 0)
		arena_free(a, (uint32_t)slot);
}

/* Only a process that is or was root can change its user: the claim of any other one is ignored. */
static void move_image(struct registration *h, int connection, const struct mu_registration *hello,
		       const struct ucred *peer)
{
	uid_t user = peer->uid == 0 ? hello->user : peer->uid;
	struct process *p;

	/* A child that has just been forked may not be known yet. */
	tree_scan(h->tree);
	p = processes_find(&h->tree->processes, peer->pid);
	if (!p || p->slot < 0 || !tree_move(h->tree, p, user))
		endpoint_reply(connection, MU_REGISTER_FULL, NULL, 0);
	else
		endpoint_reply(connection, MU_REGISTER_RECORD, p->arena, (unsigned int)p->slot);
}

/* The image before the exec has ended nevertheless. */
static void reply_ignored(struct registration *h, int connection, pid_t pid)
{
	struct process *p = processes_find(&h->tree->processes, pid);

	h->tree->ignored++;
	if (p)
		tree_end_image(h->tree, p, TREE_EXEC);
	endpoint_reply(connection, MU_REGISTER_IGNORE, NULL, 0);
}

/* The ID of a process that has ended while we did not look may be another process's by now, whose
 * image must not end. */
static bool has_hung_up(int connection)
{
	struct pollfd peer = { .fd = connection, .events = POLLRDHUP };

	return poll(&peer, 1, 0) > 0 && peer.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* A forked child announces its image in its slot before it executes a program. The image must be
 * known before its successor is, however long we have not looked at the slots. */
static void reply_to_image(struct registration *h, int connection,
			   const struct mu_registration *hello, const struct ucred *peer)
{
	if (has_hung_up(connection))
		return;
	tree_scan(h->tree);
	if (has_image(h->tree, peer->pid))
		endpoint_reply(connection, MU_REGISTER_IGNORE, NULL, 0);
	else if (is_wanted(h->tree, hello, peer->pid))
		register_image(h, connection, peer->pid, peer->uid);
	else
		reply_ignored(h, connection, peer->pid);
}

static void answer_registration(struct registration *h, int connection,
				const struct mu_registration *hello, const struct ucred *peer)
{
	struct tree *t = h->tree;

	h->learn_root(h->data);
	if (hello->version != MU_REGISTER_VERSION || !is_permitted_peer(t, peer))
		endpoint_reply(connection, MU_REGISTER_REFUSED, NULL, 0);
	else if (hello->kind == MU_REGISTER_FORK)
		reserve_child_slot(h, connection, hello, peer);
	else if (hello->kind == MU_REGISTER_MOVE)
		move_image(h, connection, hello, peer);
	else if (hello->kind == MU_REGISTER_IMAGE)
		reply_to_image(h, connection, hello, peer);
	else
		endpoint_reply(connection, MU_REGISTER_REFUSED, NULL, 0);
}

/* At its end there is an empty one. */
static bool has_message(int connection)
{
	char byte;

	return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
	       (errno != EAGAIN && errno != EINTR);
}

/* Returns whether the connection is done. A question that came after it was looked for would be
 * taken for a registration, and the connection closed. */
static bool serve_connection(struct registration *h, int connection)
{
	struct mu_registration hello;
	struct ucred peer;
	int result;

	if (!has_message(connection))
		return false;
	if (control_is_question(connection)) {
		control_answer(h->tree, connection);
		return true;
	}
	result = endpoint_receive(connection, &hello, &peer);
	if (result > 0)
		answer_registration(h, connection, &hello, &peer);
	if (result != 0)
		file_events_close(connection);
	return result != 0;
}

/* The oldest silent connection is closed to make room for a new one. */
static void queue_connection(struct registration *h, int connection)
{
	int *place = &h->waiting[h->next++ % REGISTRATION_WAITING];

	file_events_close(*place);
	*place = connection;
	file_events_add(connection);
}

/* Without a free descriptor (ulimit -n) the connection would wait forever, and the loop would
 * spin. */
static int accept_with_reserve(struct registration *h, int fd)
{
	const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	int connection = accept4(fd, NULL, NULL, flags);

	if (connection >= 0 || (errno != EMFILE && errno != ENFILE))
		return connection;
	/* Another file may have taken the reserve for a moment. */
	if (h->reserve < 0)
		h->reserve = fcntl(h->tree->event, F_DUPFD_CLOEXEC, 3);
	if (h->reserve < 0)
		return connection;
	close(h->reserve);
	h->reserve = -1;
	return accept4(fd, NULL, NULL, flags);
}

void registration_accept(struct registration *h, int fd)
{
	int connection;

	while ((connection = accept_with_reserve(h, fd)) >= 0) {
		if (is_foreign_user(h, connection))
			close(connection);
		else if (serve_connection(h, connection))
			;
		else if (h->reserve >= 0)
			queue_connection(h, connection);
		else
			close(connection);
		if (h->reserve < 0)
			h->reserve = fcntl(h->tree->event, F_DUPFD_CLOEXEC, 3);
	}
}

void registration_read(struct registration *h, int fd)
{
	for (unsigned int i = 0; i < REGISTRATION_WAITING; i++) {
		if (h->waiting[i] == fd && serve_connection(h, fd))
			h->waiting[i] = -1;
	}
}
