/* control.c -- The collector's side of `memusage --pid`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/user.h"
#include "memusage/collector/control_examination.h"
#include "memusage/collector/control_samples.h"
#include "memusage/collector/tree.h"
#include "memusage/common/control_wire.h"
#include "memusage/common/fd_passing.h"
#include "memusage/common/file_events.h"

bool control_is_question(int connection)
{
	uint64_t magic = 0;

	return recv(connection, &magic, sizeof(magic), MSG_PEEK | MSG_DONTWAIT) ==
		       sizeof(magic) && magic == CONTROL_MAGIC;
}

/* *PIDFD receives the attached descriptor, or -1. */
static bool receive_question(int connection, struct control_examination *x, int *pidfd)
{
	const struct control_question *q = &x->question;
	const ssize_t length = fd_passing_receive(connection, x, sizeof(*x), pidfd);

	if (length < (ssize_t)sizeof(*q) || q->magic != CONTROL_MAGIC)
		return false;
	return q->flags & CONTROL_EXAMINE ?
		       length == sizeof(*x) && q->version == CONTROL_EXAMINE_VERSION :
		       length == sizeof(*q) && q->version == CONTROL_VERSION;
}

/* Returns the process of a pidfd in our namespace: 0 if it is not visible, -1 if PIDFD is no
 * pidfd. */
static pid_t pid_of_pidfd(int pidfd)
{
	char path[64], text[1024];
	const char *line;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	line = strstr(text, "\nPid:");
	return line ? (pid_t)strtol(line + 5, NULL, 10) : -1;
}

static bool is_permitted_user(int connection)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
	       (user_is_self(peer.uid) || peer.uid == 0);
}

/* Appends an option of the run, which applies to its snapshots, too. */
static void append_answer_text(struct control_answer *a, const char *text)
{
	size_t length = strlen(text) + 1;

	if (length > CONTROL_TEXT - a->text_length)
		return;
	memcpy(a->text + a->text_length, text, length);
	a->text_length += (uint32_t)length;
}

static void fill_answer(struct tree *t, struct process *p, const struct control_question *q,
			struct control_answer *a)
{
	const struct massif_settings *m = &t->s->settings->massif;
	struct mu_slot slot;

	if (q->flags & CONTROL_COUNT)
		p->files++;
	if (segment_slot(&p->arena->view, (uint32_t)p->slot, &slot))
		a->generation = slot.generation;
	a->pid = p->pid;
	a->slot = (uint32_t)p->slot;
	a->number = p->files;
	a->rss_peak = p->samples.rss_peak;
	append_answer_text(a, m->desc ? m->desc : "");
	for (size_t i = 0; i < m->report.count; i++)
		append_answer_text(a, m->report.item[i]);
}

static int send_answer(int connection, const struct control_answer *a, int fd)
{
	return fd_passing_send(connection, a, sizeof(*a) - sizeof(a->text) + a->text_length, fd,
			       MSG_DONTWAIT);
}

/* Sends the samples of ONE, or of all processes of the arena. */
static int send_samples(struct tree *t, int connection, const struct arena *arena,
			const struct process *one, const struct control_answer *a)
{
	int fd = control_samples_open(t, arena, one), result;

	result = send_answer(connection, a, fd);
	if (fd >= 0)
		close(fd);
	return result;
}

/* About the run itself: the client reads the slots of its memory. */
static void answer_run(struct tree *t, int connection, pid_t pid, const struct control_question *q,
		       struct control_answer *a)
{
	const struct arena *arena = NULL;

	if (pid == getpid() && q->arena < t->arena_count)
		arena = &t->arena[q->arena]->arena;
	a->status = arena ? CONTROL_OK : CONTROL_UNKNOWN;
	a->pid = pid;
	if (arena && q->flags & CONTROL_SAMPLES)
		send_samples(t, connection, arena, NULL, a);
	else
		send_answer(connection, a, arena ? arena->fd : -1);
}

static enum control_status check_question(const struct process *p, const struct control_question *q)
{
	if (!p)
		return CONTROL_UNKNOWN;
	if (!p->is_live || p->slot < 0)
		return CONTROL_NO_IMAGE;
	return q->flags & CONTROL_EXCLUSIVE && (p->control >= 0 || p->has_snapshot_child) ?
		       CONTROL_BUSY :
		       CONTROL_OK;
}

/* The client reads the file, and writes what it finds. */
static int send_findings(int connection, int *fd, const char *name,
			 const struct control_question *q, const struct control_answer *a)
{
	if (*fd < 0 && !(q->flags & CONTROL_EXISTING))
		*fd = process_reserve_fds(memfd_create(name, MFD_CLOEXEC));
	return send_answer(connection, a, *fd);
}

/* The child that examines keeps the connection until the result is in the file. */
static int send_examination(struct tree *t, int connection, const struct process *p,
			    const struct control_examination *x, struct control_answer *a)
{
	int fd, result;

	a->status = control_examination_start(t, p, x, connection, &fd);
	result = send_answer(connection, a, fd);
	if (fd >= 0)
		close(fd);
	return result;
}

static int answer_process(struct tree *t, int connection, struct process *p,
			  const struct control_examination *x, struct control_answer *a)
{
	const struct control_question *q = &x->question;

	a->status = check_question(p, q);
	if (a->status != CONTROL_OK)
		return send_answer(connection, a, -1);
	fill_answer(t, p, q, a);
	if (q->flags & CONTROL_EXAMINE)
		return send_examination(t, connection, p, x, a);
	if (q->flags & CONTROL_CHECKS)
		return send_findings(connection, &p->asked_checks, "memusage-checks", q, a);
	if (q->flags & CONTROL_HOLDERS)
		return send_findings(connection, &p->asked_holders, "memusage-holders", q, a);
	return q->flags & CONTROL_SAMPLES ? send_samples(t, connection, p->arena, p, a) :
					    send_answer(connection, a, p->arena->fd);
}

static void hold_connection(struct tree *t, struct process *p, int connection)
{
	p->control = connection;
	file_events_add(connection);
}

void control_answer(struct tree *t, int connection)
{
	static struct control_answer a;
	struct control_examination x;
	const struct control_question *q = &x.question;
	struct process *p = NULL;
	int pidfd = -1;
	pid_t pid;

	a = (struct control_answer){ .magic = CONTROL_MAGIC, .version = CONTROL_VERSION,
				     .status = CONTROL_DENIED, .collector = getpid() };
	/* Checked first, since a process of the tree may belong to another user. */
	if (!is_permitted_user(connection)) {
		send_answer(connection, &a, -1);
		goto out;
	}
	if (!receive_question(connection, &x, &pidfd))
		goto out;
	pid = pidfd >= 0 ? pid_of_pidfd(pidfd) : q->pid;
	tree_scan(t);
	if (q->flags & CONTROL_RUN) {
		answer_run(t, connection, pid, q, &a);
		goto out;
	}
	p = pid > 0 ? processes_find(&t->processes, pid) : NULL;
	if (answer_process(t, connection, p, &x, &a) == 0 && a.status == CONTROL_OK &&
	    q->flags & CONTROL_EXCLUSIVE) {
		hold_connection(t, p, connection);
		connection = -1;
	}
out:
	if (pidfd >= 0)
		close(pidfd);
	file_events_close(connection);
}

bool control_closed(struct tree *t, int fd)
{
	char byte;

	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (p->control != fd)
			continue;
		/* The client sends nothing more, so this is not data. */
		if (recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
			return true;
		file_events_close(fd);
		p->control = -1;
		return true;
	}
	return false;
}
