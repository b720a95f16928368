/* process_end.c -- How a process of the tree ended.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/process_end.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/common/clock.h"
#include "memusage/record/arena.h"
#include "profile/read/image_end.h"

/* A structure of <linux/pidfd.h> since Linux 6.13; earlier headers do not have it. */
struct pidfd_answer {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define ASK_PIDFD _IOWR(0xff, 11, struct pidfd_answer)
#define PIDFD_HAS_EXIT (UINT64_C(1) << 3)

/* A parent that gets no processor writes its note late. */
#define NOTE_NS UINT64_C(50000000)

_Static_assert(sizeof(struct pidfd_answer) == 64, "the kernel's first version of the structure");

void process_end_note(struct process *p, int status)
{
	p->status = status;
	p->has_status = true;
}

/* The kernel says 0 to a reader without the right to know: one of another user or group. */
static bool may_know_zero(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 && st.st_uid == geteuid() && st.st_gid == getegid();
}

static bool ask_zombie(const struct process *p, int *status)
{
	char state;
	bool is_zombie = process_exit_code(p->pid, &state, status) && state == 'Z';

	return is_zombie && (*status != 0 || may_know_zero(p->pid));
}

static bool ask_pidfd(const struct process *p, int *status)
{
	struct pidfd_answer answer = { .mask = PIDFD_HAS_EXIT };

	if (p->pidfd < 0 || ioctl(p->pidfd, ASK_PIDFD, &answer) < 0 ||
	    !(answer.mask & PIDFD_HAS_EXIT))
		return false;
	*status = answer.exit_code;
	return true;
}

/* The pidfd comes first, since the process ID may be another process's after the reaping, and once
 * more, since the reaping may come between the questions. */
void process_end_ask(struct process *p)
{
	int status;

	if (!p->has_status && p->pid > 0 &&
	    (ask_pidfd(p, &status) || ask_zombie(p, &status) || ask_pidfd(p, &status)))
		process_end_note(p, status);
}

/* The parent's entry, if both have the same IDs in their own namespace as in ours. */
static const struct process *find_parent(const struct processes *all, const struct process *p,
					 uint64_t *start_ns, struct image *of_parent)
{
	struct image im;

	if (p->slot < 0 || !arena_image(p->arena, (uint32_t)p->slot, &im) ||
	    im.head.process.pid != (uint32_t)p->pid)
		return NULL;
	*start_ns = im.head.process.start_mono_ns;
	for (size_t i = 0; i < all->count; i++) {
		const struct process *q = all->item[i];

		if ((uint32_t)q->pid == im.head.process.ppid && q->is_live && q->slot >= 0 &&
		    arena_image(q->arena, (uint32_t)q->slot, of_parent) &&
		    of_parent->head.process.pid == (uint32_t)q->pid)
			return q;
	}
	return NULL;
}

/* An older child may have had the same ID. */
static bool find_reaped(const struct mu_image *parent, const struct process *p, uint64_t start_ns,
			int *status)
{
	for (int i = 0; i < MU_REAPED; i++) {
		const struct mu_reaped *r = &parent->reaped.child[i];

		if (r->pid != (uint32_t)p->pid || r->mono_ns < start_ns)
			continue;
		*status = (int)r->status;
		return WIFEXITED(*status) || WIFSIGNALED(*status);
	}
	return false;
}

bool process_end_ask_parent(const struct processes *all, struct process *p)
{
	const uint64_t now = clock_now(CLOCK_MONOTONIC);
	const struct process *parent;
	struct image im;
	uint64_t start_ns;
	int status;

	if (p->has_status)
		return false;
	parent = find_parent(all, p, &start_ns, &im);
	if (!parent)
		return false;
	if (find_reaped(&im.head, p, start_ns, &status)) {
		process_end_note(p, status);
		return false;
	}
	if (p->ended_ns == 0)
		p->ended_ns = now;
	return !parent->has_ended && im.head.reaped.count > 0 && now - p->ended_ns < NOTE_NS;
}

static struct image_end end_by_status(int status, struct image_end seen)
{
	if (WIFSIGNALED(status))
		return (struct image_end){ .how = MU_END_SIGNAL,
					   .status = (uint32_t)WTERMSIG(status) };
	if (seen.how != MU_END_EXIT && seen.how != MU_END_IMMEDIATE)
		seen.how = MU_END_STATUS;
	seen.status = (uint32_t)WEXITSTATUS(status);
	return seen;
}

/* The memory is the image's header, which the process no longer writes, or may overwrite. */
void process_end_store(const struct process *p, enum tree_end end)
{
	struct image im;
	struct mu_image *head;
	struct image_end known;

	if (!arena_image(p->arena, (uint32_t)p->slot, &im))
		return;
	head = (struct mu_image *)im.base;
	known = image_end_of(&im.head);
	if (end == TREE_EXEC)
		known = (struct image_end){ .how = MU_END_EXEC };
	else if (end == TREE_SHUTDOWN || end == TREE_DETACHED)
		known = (struct image_end){ .how = MU_END_RUNNING };
	else if (p->has_status)
		known = end_by_status(p->status, known);
	head->end = known.how;
	head->end_status = known.status;
	if (end != TREE_SHUTDOWN && head->process.exit_mono_ns == 0)
		head->process.exit_mono_ns = clock_now(CLOCK_MONOTONIC);
}
