/* tree_running.c -- A recording of a run whose program has ended, with the processes that go on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_running.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/temporary.h"
#include "memusage/collector/tree_memory.h"
#include "memusage/record/live_copy.h"
#include "profile/base/file.h"

/* Opens the file of a descriptor again, which may be for writing only. */
static int open_for_reading(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool copy_recording(int fd, int to)
{
	const int from = open_for_reading(fd);
	const bool ok = from >= 0 && file_copy(to, from);

	if (from >= 0)
		close(from);
	return ok;
}

static bool is_running(const struct process *p)
{
	return p->is_live && p->slot >= 0 && !p->has_ended;
}

static bool add_process(struct tree *t, struct process *p, struct save *keep)
{
	struct live_copy c = { .has_places = false };
	struct mu_error ignored;
	struct mu_slot slot;
	struct live l;
	bool ok;

	if (!segment_slot(&p->arena->view, (uint32_t)p->slot, &slot))
		return false;
	tree_memory_sample_now(t, p);
	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, slot.generation);
	ok = live_copy_take(&c, &l, &p->samples, &ignored) == 0 &&
	     live_copy_save(&c, &l, p->pid, keep, &ignored) == 0;
	live_copy_free(&c);
	return ok;
}

static unsigned int add_processes(struct tree *t, struct save *keep)
{
	unsigned int added = 0;

	for (size_t i = 0; i < t->processes.count; i++) {
		if (is_running(t->processes.item[i]))
			added += add_process(t, t->processes.item[i], keep);
	}
	return added;
}

static unsigned int count_running(const struct tree *t)
{
	unsigned int count = 0;

	for (size_t i = 0; i < t->processes.count; i++)
		count += is_running(t->processes.item[i]);
	return count;
}

/* Without any process that has ended, the recording has no beginning either. */
static bool begin_copy(const struct tree *t, int fd, struct save *keep)
{
	const struct recordfile *r = &t->s->record;
	const struct mu_segment *head = &t->s->arena.view.head;
	struct mu_error ignored;

	if (r->images == 0)
		return save_begin(keep, fd, head, &ignored) == 0;
	return copy_recording(r->fd, fd) && save_resume(keep, fd, head);
}

/* Returns a descriptor, or -1 with errno. */
static int copy_with(struct tree *t, unsigned int running)
{
	struct save keep = { .room = 0 };
	unsigned int added = 0;
	int fd = temporary_open();

	if (fd >= 0 && begin_copy(t, fd, &keep)) {
		added = add_processes(t, &keep);
		save_end(&keep);
	}
	if (fd >= 0 && added < running) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void tree_running_add(struct tree *t)
{
	const unsigned int running = count_running(t);
	const char *go = running == 1 ? " goes" : "es go";

	if (running == 0)
		return;
	t->s->judged = copy_with(t, running);
	if (t->s->judged < 0)
		report_line(&t->report, "%u process%s on, and cannot be judged: %m", running, go);
	else if (!t->s->settings->quiet)
		report_line(&t->report, "%u process%s on: %s judged as now", running, go,
			    running == 1 ? "it is" : "they are");
	t->report.lacks_running = t->s->judged < 0;
}
