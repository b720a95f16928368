/* loop.c -- Waits for files and times, and calls those who want to know.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/loop/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

enum { EVENTS = 32 };

void loop_init(struct loop *l)
{
	*l = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
	if (l->epoll < 0)
		die("cannot wait for events: %m");
}

void loop_fini(struct loop *l)
{
	close(l->epoll);
	free(l->file);
	*l = (struct loop){ .epoll = -1 };
}

uint64_t loop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- files --------------------------------------------------------------------------------- */

static struct loop_file *find_file(struct loop *l, int fd)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->file[i].fd == fd)
			return &l->file[i];
	}
	return NULL;
}

static struct loop_file *add_file(struct loop *l)
{
	struct loop_file *free_entry = find_file(l, -1);

	if (free_entry)
		return free_entry;
	l->file = xreallocarray(l->file, l->count + 1, sizeof(*l->file));
	return &l->file[l->count++];
}

void loop_watch(struct loop *l, int fd, unsigned int what, loop_file_fn *call, void *data)
{
	struct loop_file *file = find_file(l, fd);
	struct epoll_event event = {
		.events = (what & LOOP_READ ? (uint32_t)EPOLLIN : 0) |
			  (what & LOOP_WRITE ? (uint32_t)EPOLLOUT : 0) |
			  (what & LOOP_END ? (uint32_t)EPOLLRDHUP : 0),
		.data.fd = fd,
	};

	if (epoll_ctl(l->epoll, file ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) < 0)
		die("cannot wait for events: %m");
	if (!file)
		file = add_file(l);
	*file = (struct loop_file){ .fd = fd, .call = call, .data = data };
}

void loop_forget(struct loop *l, int fd)
{
	struct loop_file *file = fd < 0 ? NULL : find_file(l, fd);

	if (!file)
		return;
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
	file->fd = -1;
}

/* ---- timers -------------------------------------------------------------------------------- */

void loop_clear(struct loop *l, struct loop_timer *t)
{
	for (struct loop_timer **at = &l->timers; *at; at = &(*at)->next) {
		if (*at == t) {
			*at = t->next;
			break;
		}
	}
	t->call = NULL;
}

void loop_at(struct loop *l, struct loop_timer *t, uint64_t due_ms, loop_timer_fn *call, void *data)
{
	loop_clear(l, t);
	*t = (struct loop_timer){ .due_ms = due_ms, .call = call, .data = data,
				  .next = l->timers };
	l->timers = t;
}

static struct loop_timer *find_next_timer(const struct loop *l)
{
	struct loop_timer *next = l->timers;

	for (struct loop_timer *t = next; t; t = t->next) {
		if (t->due_ms < next->due_ms)
			next = t;
	}
	return next;
}

static int milliseconds_to_wait(const struct loop *l)
{
	const struct loop_timer *next = find_next_timer(l);
	const uint64_t now = loop_now();

	if (!next)
		return -1;
	if (next->due_ms <= now)
		return 0;
	return next->due_ms - now < INT_MAX ? (int)(next->due_ms - now) : INT_MAX;
}

static unsigned int what_is_ready(uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP))
		return LOOP_READ | LOOP_WRITE | LOOP_END;
	return (events & EPOLLIN ? LOOP_READ : 0u) | (events & EPOLLOUT ? LOOP_WRITE : 0u) |
	       (events & EPOLLRDHUP ? LOOP_END : 0u);
}

/* Those that a call sets for now are due at the next step. */
static void call_due_timers(struct loop *l)
{
	const uint64_t now = loop_now();
	struct loop_timer *t;

	while ((t = find_next_timer(l)) && t->due_ms <= now) {
		loop_timer_fn *call = t->call;
		void *data = t->data;

		loop_clear(l, t);
		call(data);
		if (t->call && t->due_ms <= now)
			return;
	}
}

int loop_step(struct loop *l)
{
	struct epoll_event event[EVENTS];
	int count = epoll_wait(l->epoll, event, EVENTS, milliseconds_to_wait(l));

	if (count < 0 && errno != EINTR)
		return -1;
	for (int i = 0; i < count; i++) {
		/* An earlier call may have forgotten it. */
		struct loop_file *file = find_file(l, event[i].data.fd);

		if (file)
			file->call(file->data, file->fd, what_is_ready(event[i].events));
	}
	call_due_timers(l);
	return 0;
}
