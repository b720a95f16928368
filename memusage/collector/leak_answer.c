/* leak_answer.c -- Answers processes that wait for a leak check.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/leak_answer.h"

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
#include "memusage/examine/leak_check.h"

enum { CHECKS_MAX = 64 }; /* at a time; others wait */

/* A check that is being made, or whose result waits for room. */
struct pending_check {
	pid_t pid;	/* of the process, 0: unused */
	pid_t examiner; /* 0: it has ended */
	int pidfd, fd;
	struct mu_leak_check *result; /* NULL: none */
};

static struct pending_check checks[CHECKS_MAX];

/* ---- checks ----------------------------------------------------------------------------- */

static struct pending_check *find_check(pid_t pid)
{
	for (size_t i = 0; i < CHECKS_MAX; i++) {
		if (checks[i].pid == pid)
			return &checks[i];
	}
	return NULL;
}

static void drop_check(struct pending_check *c)
{
	free(c->result);
	*c = (struct pending_check){ .pid = 0 };
}

/* Processes that were killed while they waited have no use for a result. */
static void drop_orphaned_checks(const struct tree *t)
{
	for (size_t i = 0; i < CHECKS_MAX; i++) {
		struct pending_check *c = &checks[i];

		if (c->pid && !c->examiner && !processes_find(&t->processes, c->pid))
			drop_check(c);
	}
}

/* Returns NULL if it cannot be started now. */
static struct pending_check *start_check(struct tree *t, const struct process *p)
{
	const struct leak_settings *settings = &t->s->settings->leak_check;
	const struct leak_check_options o = { .heuristics = settings->heuristics };
	struct epoll_event event = { .events = EPOLLIN };
	struct pending_check *c;
	struct live l;
	const struct examined_process examined = { &l, p->pid, SNAPSHOT_STOP };

	drop_orphaned_checks(t);
	c = find_check(0);
	if (!c)
		return NULL;
	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, 0);
	*c = (struct pending_check){ .pid = p->pid, .pidfd = -1 };
	c->fd = examination_open_file(&leak_check);
	c->examiner = c->fd < 0 ? -1 : examination_start(&leak_check, &examined, &o, c->fd);
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

static void reap_examiner(struct pending_check *c, int flags)
{
	struct mu_error err = { .text = "" };
	int status;

	if (c->examiner == 0 || waitpid(c->examiner, &status, flags) != c->examiner)
		return;
	c->examiner = 0;
	c->result = examination_read(&leak_check, c->fd, &err);
	if (!c->result)
		warn("no leak check of process %d: %s", (int)c->pid, err.text);
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
			const struct mu_leak_check *result)
{
	const uint64_t size = p->arena->view.head.slot_size, bytes = leak_check.count_bytes(result);
	const uint64_t offset = __atomic_load_n(&live->query_offset, __ATOMIC_RELAXED);

	if (offset % 8 != 0 || offset > size || size - offset < bytes) {
		set_state(live, MU_QUERY_FAILED);
		return;
	}
	memcpy((uint8_t *)live + offset, result, bytes);
	set_state(live, MU_QUERY_DONE);
}

void leak_answer(struct tree *t, const struct process *p)
{
	struct mu_image *live = shared_image(p);
	const uint32_t wanted = __atomic_load_n(&live->query_wanted, __ATOMIC_ACQUIRE);
	const uint32_t state = __atomic_load_n(&live->query_state, __ATOMIC_ACQUIRE);
	struct pending_check *c;

	if (wanted != MU_QUERY_LEAKS || (state != MU_QUERY_WANTED && state != MU_QUERY_WORKING &&
					 state != MU_QUERY_ROOM))
		return;
	c = find_check(p->pid);
	if (!c && state == MU_QUERY_WANTED)
		c = start_check(t, p);
	if (!c)
		return;
	if (c->examiner && c->pidfd < 0)
		reap_examiner(c, WNOHANG);
	if (c->examiner) {
		if (state == MU_QUERY_WANTED)
			set_state(live, MU_QUERY_WORKING);
	} else if (!c->result) {
		drop_check(c);
		set_state(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM) {
		copy_result(p, live, c->result);
		drop_check(c);
	} else {
		live->query_count = (leak_check.count_bytes(c->result) + 7) / 8;
		set_state(live, MU_QUERY_COUNTED);
	}
}

bool leak_examiner_ended(int fd)
{
	for (size_t i = 0; i < CHECKS_MAX; i++) {
		struct pending_check *c = &checks[i];

		if (!c->examiner || c->pidfd != fd)
			continue;
		reap_examiner(c, 0);
		return true;
	}
	return false;
}

void leak_answer_free(void)
{
	for (size_t i = 0; i < CHECKS_MAX; i++) {
		struct pending_check *c = &checks[i];

		if (c->examiner > 0) {
			kill(c->examiner, SIGKILL);
			reap_examiner(c, 0);
		}
		drop_check(c);
	}
}
