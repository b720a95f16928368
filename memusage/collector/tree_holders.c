/* tree_holders.c -- What holds the blocks of a process at its automatic snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_holders.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/attach/earlier_list.h"
#include "memusage/collector/examination_right.h"
#include "memusage/collector/query.h"
#include "memusage/common/child.h"
#include "memusage/common/file_events.h"
#include "memusage/common/process.h"
#include "memusage/holders/holders_check.h"

enum {
	MOMENTS_MOST = 64,  /* of a process: each is up to 600 KiB of our memory */
	EXAMINED_MOST = 256, /* processes */
	LOOK_MS = 1000
};

/* The moments of one process. */
struct examined {
	const struct process *process; /* NULL: unused */
	pid_t examiner;		       /* 0: none works */
	int pidfd, fd;
	struct mu_holders *moment[MOMENTS_MOST];
	uint32_t count;
};

static struct examined examined[EXAMINED_MOST];

static struct examined *find_examined(const struct process *p)
{
	for (size_t i = 0; i < EXAMINED_MOST; i++) {
		if (examined[i].process == p)
			return &examined[i];
	}
	return NULL;
}

/* A process that ends or executes another program meanwhile just has one moment less. */
static bool has_ended(const struct process *p)
{
	return p->has_ended || process_is_dead(p) ||
	       arena_state(p->arena, (uint32_t)p->slot) != MU_SLOT_LIVE;
}

/* An examiner is waited for as long as it works: it gives up by itself (stall_watch.h). One that
 * has given up and cannot be killed is left to its fate. */
static void end_examiner(const struct examined *e)
{
	struct pollfd end = { .fd = e->pidfd, .events = POLLIN };

	while (e->pidfd >= 0 && poll(&end, 1, LOOK_MS) <= 0) {
		if (!examination_has_outcome(e->fd) || poll(&end, 1, LOOK_MS) > 0)
			continue;
		kill(e->examiner, SIGKILL);
		return;
	}
	child_wait(e->examiner);
}

/* The child has ended, or is waited for. */
static void take_result(struct examined *e)
{
	struct mu_error err = { .text = "" };
	struct mu_holders *result;

	if (!e->examiner)
		return;
	end_examiner(e);
	e->examiner = 0;
	result = examination_read(&holders_check, e->fd, &err);
	close(e->fd);
	file_events_close(e->pidfd);
	if (result)
		e->moment[e->count++] = result;
	else if (!has_ended(e->process))
		warn("what holds the blocks of process %d could not be examined: %s",
		     (int)e->process->pid, err.text);
}

static void start_examiner(const struct tree *t, struct examined *e, const struct process *p)
{
	const struct holders_check_options o = { .flags = 0 };
	struct tracee_right right;
	struct live l;
	const struct examined_process process = {
		&l, p->pid, (enum snapshot_kind)t->s->settings->leak_check.snapshot,
		earlier_list_add, &right };

	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, 0);
	e->fd = examination_right_ask(t, p, &right) == 0 ? examination_open_file(&holders_check) :
							   -1;
	e->examiner = e->fd < 0 ? -1 : examination_start(&holders_check, &process, &o, e->fd);
	if (e->examiner < 0) {
		if (e->fd >= 0)
			close(e->fd);
		e->examiner = 0;
		return;
	}
	e->pidfd = file_events_add_process(e->examiner);
}

void tree_holders_start(const struct tree *t, const struct process *p)
{
	struct examined *e = find_examined(p);

	/* Only one process can be its tracer: a client may be, or the examiner at its end. */
	if (!t->s->settings->holders || p->control >= 0 || query_is_asked(p))
		return;
	if (!e)
		e = find_examined(NULL);
	if (!e || e->examiner || e->count == MOMENTS_MOST)
		return;
	e->process = p;
	start_examiner(t, e, p);
}

void tree_holders_add(const struct process *p, struct mu_holders *h)
{
	struct examined *e = find_examined(p);

	if (!e)
		e = find_examined(NULL);
	if (e)
		take_result(e);
	if (!e || e->count == MOMENTS_MOST) {
		free(h);
		return;
	}
	e->process = p;
	e->moment[e->count++] = h;
}

bool tree_holders_pending(const struct process *p)
{
	const struct examined *e = find_examined(p);

	return e && e->examiner && e->pidfd >= 0 && !examination_has_outcome(e->fd);
}

bool tree_holders_child_ended(int fd)
{
	for (size_t i = 0; i < EXAMINED_MOST; i++) {
		if (!examined[i].process || !examined[i].examiner || examined[i].pidfd != fd)
			continue;
		take_result(&examined[i]);
		return true;
	}
	return false;
}

void tree_holders_attach(const struct process *p, struct image *im)
{
	struct examined *e = find_examined(p);

	if (!e)
		return;
	take_result(e);
	im->holders = (const struct mu_holders *const *)e->moment;
	im->holder_count = e->count;
}

void tree_holders_forget(const struct process *p)
{
	struct examined *e = find_examined(p);

	if (!e)
		return;
	take_result(e);
	for (uint32_t i = 0; i < e->count; i++)
		free(e->moment[i]);
	*e = (struct examined){ .process = NULL };
}
