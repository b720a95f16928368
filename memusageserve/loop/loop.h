/* loop.h -- Waits for files and times, and calls those who want to know.
 *
 *	struct loop l;
 *
 *	loop_init(&l);
 *	loop_watch(&l, fd, LOOP_READ, on_readable, data);
 *	loop_at(&l, &timer, loop_now() + 1000, on_time, data);
 *	while (!done && loop_step(&l) == 0)
 *		;
 *	loop_fini(&l);
 *
 * One thread. A call may watch and forget files, and set and clear timers, its own too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* LOOP_END: the other end of a socket sends nothing more. */
enum { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_END = 4 };

/* what  some of LOOP_*; errors, and the end of both directions of a socket, are all of them. */
typedef void loop_file_fn(void *data, int fd, unsigned int what);

typedef void loop_timer_fn(void *data);

struct loop_file {
	int fd;			/* -1: the entry is free */
	loop_file_fn *call;
	void *data;
};

/* Zeroed, it is not set. It must stay where it is while it is set. */
struct loop_timer {
	uint64_t due_ms;
	loop_timer_fn *call;	/* NULL: not set */
	void *data;
	struct loop_timer *next;
};

struct loop {
	int epoll;
	struct loop_file *file;
	uint32_t count;
	struct loop_timer *timers;	/* in no order: there are few */
};

/* loop_init -- Begins. Dies with a message if the kernel refuses. */
void loop_init(struct loop *l);

/* loop_fini -- Releases it. Files stay open. */
void loop_fini(struct loop *l);

/* loop_now -- Returns milliseconds of CLOCK_MONOTONIC. */
uint64_t loop_now(void);

/* loop_watch -- Calls CALL whenever FD is ready for WHAT, until loop_forget().
 *
 * what  LOOP_*; 0: only errors, and the end of both directions.
 * If FD is watched already, WHAT, CALL and DATA are replaced. Dies with a message if the kernel
 * refuses.
 */
void loop_watch(struct loop *l, int fd, unsigned int what, loop_file_fn *call, void *data);

/* loop_forget -- Ends that; before FD is closed. Fine for one that is not watched. */
void loop_forget(struct loop *l, int fd);

/* loop_at -- Sets a timer, once; replaces what it was set to. */
void loop_at(struct loop *l, struct loop_timer *t, uint64_t due_ms, loop_timer_fn *call,
	     void *data);

/* loop_clear -- Clears a timer. Fine for one that is not set. */
void loop_clear(struct loop *l, struct loop_timer *t);

/* loop_step -- Waits until something is ready or due, and calls the functions for it.
 *
 * Returns 0, or -1 with errno if waiting failed.
 */
int loop_step(struct loop *l);
