/* threads.c -- species of threads: thread (one, on a stack of any kind, that ends in any way) and
 * together (several at once).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum ending { RETURNS, EXITS, IS_CANCELLED, IS_DETACHED, ENDINGS };

struct runner {
	const struct step *s, *body;
	struct room room;
	struct draw d;
	enum ending ending;
	_Atomic int tid;
	_Atomic bool is_done;
	pthread_barrier_t *start;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Allocates while the thread ends. */
static void end_of_key(void *block)
{
	free(realloc(block, 300));
}

static void make_key(void)
{
	pthread_key_create(&key, end_of_key);
}

static void clean(void *block)
{
	free(block);
	free(malloc(70));
}

static void leave(void *arg)
{
	pthread_exit(arg);
}

static void *leave_now(void *arg)
{
	pthread_exit(arg);
}

/* libc loads libgcc_s when the first thread exits or is cancelled. There may be no such file any
 * more, and the child of a fork while another thread loaded something cannot load anything. */
void threads_load(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, leave_now, NULL))
		pthread_join(thread, NULL);
}

static void wait_for_end(struct runner *run)
{
	pthread_cleanup_push(clean, malloc(90));
	atomic_store(&run->is_done, true);
	for (;;)
		pause();
	pthread_cleanup_pop(1);
}

static void *run_thread(void *arg)
{
	struct runner *run = arg;

	atomic_store(&run->tid, (int)syscall(SYS_gettid));
	if (run->start)
		pthread_barrier_wait(run->start);
	pthread_once(&once, make_key);
	if (draw_below(&run->d, 2))
		pthread_setspecific(key, malloc(40));
	use_blocks(run->s, &run->d, 4, 600);
	run_steps(run->body, &run->room);
	if (run->ending == IS_CANCELLED)
		wait_for_end(run);
	if (run->ending == EXITS)
		climb(draw_below(&run->d, 8), &run->d, leave, (void *)5);
	return (void *)4;
}

/* The kernel forgets a thread when nothing more of it runs on its stack. */
static void await_detached(struct runner *run)
{
	int tid;

	while (!(tid = atomic_load(&run->tid)))
		sched_yield();
	while (syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno == EAGAIN)
		sched_yield();
}

static bool set_stack(const struct room *r, struct runner *run, pthread_attr_t *attr, struct place *p)
{
	bool quiet = r->can & CAN_QUIET;

	p->base = NULL;
	switch (draw_below(&run->d, 3)) {
	case 0:
		pthread_attr_setstacksize(attr, (size_t)(quiet ? 16 : 96) << 10 << draw_below(&run->d, 9));
		run->room.stack = 2 << 10;
		if (!quiet)
			run->room.stack = 40 << 10;
		return true;
	case 1:
		run->room.stack = 1 << 20;
		return true;
	default:
		if (!place_take(p, &run->d, quiet))
			return false;
		run->room.stack = place_room(p);
		return pthread_attr_setstack(attr, p->base, p->size) == 0;
	}
}

static void await(const struct step *s, struct runner *run, pthread_t thread)
{
	void *result = NULL;

	if (run->ending == IS_DETACHED) {
		await_detached(run);
		return;
	}
	if (run->ending == IS_CANCELLED) {
		while (!atomic_load(&run->is_done))
			sched_yield();
		note(s, (uint64_t)pthread_cancel(thread));
	}
	note(s, (uint64_t)pthread_join(thread, &result));
	note(s, (uintptr_t)result);
}

void do_thread(const struct step *s, const struct room *r)
{
	struct runner run = { .s = s, .body = s->body, .room = *r, .d = draw_of(s) };
	struct draw d = { .state = ~run.d.state };
	pthread_attr_t attr;
	pthread_t thread;
	struct place place;
	int error;

	pthread_attr_init(&attr);
	run.ending = draw_below(&d, ENDINGS);
	if (!set_stack(r, &run, &attr, &place)) {
		pthread_attr_destroy(&attr);
		return;
	}
	if (run.ending == IS_DETACHED)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attr, run_thread, &run);
	note(s, (uint64_t)error);
	if (!error)
		await(s, &run, thread);
	if (place.base)
		place_drop(&place, &d);
	pthread_attr_destroy(&attr);
}

/* Each step of the body in a thread of its own, all at once. */
void do_together(const struct step *s, const struct room *r)
{
	enum { MOST = 8 };
	struct runner run[MOST];
	struct draw d = draw_of(s);
	struct step alone[MOST];
	pthread_t thread[MOST];
	pthread_barrier_t start;
	unsigned int count = 0;

	for (const struct step *b = s->body; b && count < MOST; b = b->next, count++) {
		alone[count] = *b;
		alone[count].next = NULL;
		run[count] = (struct runner){ .s = s, .body = &alone[count],
					      .room = room_without(r, CAN_ALONE | CAN_CHANGE),
					      .d = { .state = draw(&d) }, .start = &start,
					      .ending = draw_below(&d, 2) };
	}
	if (!count)
		return;
	pthread_barrier_init(&start, NULL, count);
	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, run_thread, &run[i]))
			_exit(99);
	for (unsigned int i = 0; i < count; i++)
		await(s, &run[i], thread[i]);
	pthread_barrier_destroy(&start);
}
