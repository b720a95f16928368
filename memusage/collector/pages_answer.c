/* pages_answer.c -- Answers processes that wait until their pages have been examined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/pages_answer.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/examine/pages_check.h"

enum { PENDING_MAX = 64 }; /* at a time; others wait */

/* One that is being made, or whose result waits for room. */
struct pending_examination {
	pid_t pid;	/* of the process, 0: unused */
	pid_t examiner; /* 0: it has ended */
	int pidfd, fd;
	struct mu_pages *result; /* NULL: none */
};

static struct pending_examination pending[PENDING_MAX];

/* ---- examinations ------------------------------------------------------------------------- */

static struct pending_examination *find_pending(pid_t pid)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		if (pending[i].pid == pid)
			return &pending[i];
	}
	return NULL;
}

static void drop_pending(struct pending_examination *c)
{
	free(c->result);
	*c = (struct pending_examination){ .pid = 0 };
}

/* Processes that were killed while they waited have no use for a result. */
static void drop_orphans(const struct tree *t)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		struct pending_examination *c = &pending[i];

		if (c->pid && !c->examiner && !processes_find(&t->processes, c->pid))
			drop_pending(c);
	}
}

/* Returns NULL if it cannot be started now. */
static struct pending_examination *start_examination(struct tree *t, const struct process *p)
{
	const struct pages_check_options o = { .is_at_end = true };
	struct epoll_event event = { .events = EPOLLIN };
	struct pending_examination *c;
	struct live l;
	const struct examined_process examined = { &l, p->pid, SNAPSHOT_STOP };

	drop_orphans(t);
	c = find_pending(0);
	if (!c)
		return NULL;
	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, 0);
	*c = (struct pending_examination){ .pid = p->pid, .pidfd = -1 };
	c->fd = examination_open_file(&pages_check);
	c->examiner = c->fd < 0 ? -1 : examination_start(&pages_check, &examined, &o, c->fd);
	if (c->examiner < 0) {
		c->examiner = 0;
		return c;
	}
	c->pidfd = (int)syscall(SYS_pidfd_open, c->examiner, 0);
	event.data.fd = c->pidfd;
	if (c->pidfd < 0 || epoll_ctl(t->epoll, EPOLL_CTL_ADD, c->pidfd, &event) < 0)
		t->has_unwatched_process = true;
	return c;
}

static void reap_examiner(struct pending_examination *c, int flags)
{
	struct mu_error err = { .text = "" };
	int status;

	if (c->examiner == 0 || waitpid(c->examiner, &status, flags) != c->examiner)
		return;
	c->examiner = 0;
	c->result = examination_read(&pages_check, c->fd, &err);
	if (!c->result)
		warn("the pages of process %d could not be examined: %s", (int)c->pid, err.text);
	close(c->fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
}

/* ---- answers ---------------------------------------------------------------------------- */

static struct mu_image *shared_image(const struct process *p)
{
	const struct mu_segment *h = &p->arena->view.head;

	return (struct mu_image *)((uint8_t *)p->arena->shared + h->slots +
				   (uint64_t)p->slot * h->slot_size);
}

static void set_state(struct mu_image *live, uint32_t state)
{
	__atomic_store_n(&live->query_state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &live->query_state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The recorder has made room; where it says that it is must be inside of the image. */
static void copy_result(const struct process *p, struct mu_image *live,
			const struct mu_pages *result)
{
	const uint64_t size = p->arena->view.head.slot_size, bytes = result->bytes;
	const uint64_t offset = __atomic_load_n(&live->query_offset, __ATOMIC_RELAXED);

	if (offset % 8 != 0 || offset > size || size - offset < bytes) {
		set_state(live, MU_QUERY_FAILED);
		return;
	}
	memcpy((uint8_t *)live + offset, result, bytes);
	set_state(live, MU_QUERY_DONE);
}

void pages_answer(struct tree *t, const struct process *p)
{
	struct mu_image *live = shared_image(p);
	const uint32_t wanted = __atomic_load_n(&live->query_wanted, __ATOMIC_ACQUIRE);
	const uint32_t state = __atomic_load_n(&live->query_state, __ATOMIC_ACQUIRE);
	struct pending_examination *c;

	if (wanted != MU_QUERY_PAGES || (state != MU_QUERY_WANTED && state != MU_QUERY_WORKING &&
					 state != MU_QUERY_ROOM))
		return;
	c = find_pending(p->pid);
	if (!c && state == MU_QUERY_WANTED)
		c = start_examination(t, p);
	if (!c)
		return;
	if (c->examiner && c->pidfd < 0)
		reap_examiner(c, WNOHANG);
	if (c->examiner) {
		if (state == MU_QUERY_WANTED)
			set_state(live, MU_QUERY_WORKING);
	} else if (!c->result) {
		drop_pending(c);
		set_state(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM) {
		copy_result(p, live, c->result);
		drop_pending(c);
	} else {
		live->query_count = (c->result->bytes + 7) / 8;
		set_state(live, MU_QUERY_COUNTED);
	}
}

bool pages_examiner_ended(int fd)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		struct pending_examination *c = &pending[i];

		if (!c->examiner || c->pidfd != fd)
			continue;
		reap_examiner(c, 0);
		return true;
	}
	return false;
}

void pages_answer_free(void)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		struct pending_examination *c = &pending[i];

		if (c->examiner > 0) {
			kill(c->examiner, SIGKILL);
			reap_examiner(c, 0);
		}
		drop_pending(c);
	}
}
