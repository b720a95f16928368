/* control_examination.c -- Examinations for clients that may not trace the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/control_examination.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/attach/earlier_list.h"
#include "memusage/collector/examination_right.h"
#include "memusage/collector/query.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/common/asked_checks.h"
#include "memusage/common/file_events.h"
#include "memusage/common/process.h"
#include "memusage/examine/leak_check.h"
#include "memusage/examine/pages_check.h"
#include "memusage/examine/pointer_search.h"
#include "memusage/holders/holders_check.h"
#include "profile/graph/leak_heuristics.h"

enum { EXAMINERS_MOST = 8 };

static struct examiner {
	pid_t pid; /* 0: unused */
	pid_t of;  /* the process that it examines */
	int pidfd; /* -1: its end is not reported */
} examiners[EXAMINERS_MOST];

static pid_t start_leak_check(const struct process *of, const struct examined_process *p,
			      const struct control_examination *q, int fd)
{
	struct leak_check_options o = { .heuristics = q->heuristics & LEAK_HEURISTICS_ALL,
					.lists_blocks = q->subject == CONTROL_BLOCKS };
	struct asked_checks asked = { .last = NULL };
	struct asked_image image;
	pid_t child;

	if (!o.lists_blocks && tree_arenas_find_asked(of, &image))
		asked_checks_read(&asked, of->asked_checks, image);
	o.watch = asked.watch;
	child = examination_start(&leak_check, p, &o, fd);
	asked_checks_free(&asked);
	return child;
}

static const struct examination *find_examination(uint32_t subject)
{
	switch (subject) {
	case CONTROL_LEAKS:
	case CONTROL_BLOCKS:
		return &leak_check;
	case CONTROL_PAGES:
		return &pages_check;
	case CONTROL_HELD:
		return &holders_check;
	case CONTROL_POINTERS:
		return &pointer_search;
	default:
		return NULL;
	}
}

static pid_t start_child(const struct process *of, const struct examined_process *p,
			 const struct control_examination *q, int fd)
{
	const struct pages_check_options pages = { .is_at_end = false };
	const struct holders_check_options holders = { .flags = MU_HOLDERS_ON_DEMAND };
	const struct pointer_search_options range = { q->start, q->size };

	switch (q->subject) {
	case CONTROL_PAGES:
		return examination_start(&pages_check, p, &pages, fd);
	case CONTROL_HELD:
		return examination_start(&holders_check, p, &holders, fd);
	case CONTROL_POINTERS:
		return examination_start(&pointer_search, p, &range, fd);
	default:
		return start_leak_check(of, p, q, fd);
	}
}

/* Also reaps those whose end is not reported. Returns NULL if there is none, or if one examines the
 * process already: only one can be its tracer. */
static struct examiner *find_unused(pid_t of)
{
	struct examiner *unused = NULL;

	for (size_t i = 0; i < EXAMINERS_MOST; i++) {
		struct examiner *e = &examiners[i];

		if (e->pid && e->pidfd < 0 && waitpid(e->pid, NULL, WNOHANG) == e->pid)
			e->pid = 0;
		if (e->pid && e->of == of)
			return NULL;
		if (!e->pid)
			unused = e;
	}
	return unused;
}

/* A client that is interrupted ends what it has begun, as one does that examines by itself: when
 * its end of the connection is closed, the kernel sends SIGIO to the child. */
static void end_with_client(const struct examiner *e, int connection)
{
	struct pollfd client = { .fd = connection };

	fcntl(connection, F_SETOWN, e->pid);
	fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_ASYNC);
	if (poll(&client, 1, 0) > 0)
		kill(e->pid, SIGIO);
}

enum control_status control_examination_start(const struct tree *t, const struct process *p,
					      const struct control_examination *q,
					      int connection, int *fd)
{
	const struct examination *examination = find_examination(q->subject);
	struct examiner *e = find_unused(p->pid);
	struct tracee_right right;
	struct live l;
	const struct examined_process process = {
		&l, p->pid, q->snapshot == SNAPSHOT_STOP ? SNAPSHOT_STOP : SNAPSHOT_FORK,
		earlier_list_add, &right
	};

	*fd = -1;
	if (!examination || examination_right_ask(t, p, &right) != 0)
		return CONTROL_DENIED;
	/* The examination at its end goes first. */
	if (!e || query_is_asked(p))
		return CONTROL_BUSY;
	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, 0);
	*fd = examination_open_file(examination);
	e->pid = *fd < 0 ? -1 : start_child(p, &process, q, *fd);
	if (e->pid > 0) {
		e->of = p->pid;
		e->pidfd = file_events_add_process(e->pid);
		end_with_client(e, connection);
		return CONTROL_OK;
	}
	e->pid = 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return CONTROL_DENIED;
}

static void reap(struct examiner *e)
{
	waitpid(e->pid, NULL, 0);
	file_events_close(e->pidfd);
	e->pid = 0;
}

bool control_examination_ended(int fd)
{
	for (size_t i = 0; i < EXAMINERS_MOST; i++) {
		if (!examiners[i].pid || examiners[i].pidfd != fd)
			continue;
		reap(&examiners[i]);
		return true;
	}
	return false;
}

void control_examination_free(void)
{
	for (size_t i = 0; i < EXAMINERS_MOST; i++) {
		if (!examiners[i].pid)
			continue;
		kill(examiners[i].pid, SIGKILL);
		reap(&examiners[i]);
	}
}
