/* futex_watch.c -- Watch a segment's futex `wake` from an event loop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/futex_watch.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memusage/common/clock.h"

enum {
	STACK_BYTES = 128 << 10,
	IDLE_ADVANCES = 20, /* without an event, until the clock is paused */
	REST_NS = 500000000,
	TICK_NS = 1000000,
	TICK_HELPED_NS = 4000000,
	TICK_SAMPLED_NS = 100000000
};

static void futex_wait(uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* A process that waits for an answer learns from the kernel that none will come: the word is
 * FUTEX_OWNER_DIED when this thread has ended in any way, with its process. Each thread has one
 * list of such words, with one offset, so each arena's thread has a word in it. */
static void note_death(struct futex_watch *w)
{
	const long distance = (char *)w->shared - (char *)&w->death_word;

	__atomic_store_n(&w->shared->collector_thread, (uint32_t)gettid(), __ATOMIC_RELAXED);
	w->death.list.next = &w->death_word;
	w->death_word.next = &w->death.list;
	w->death.futex_offset = distance + (long)offsetof(struct mu_segment, collector_thread);
	syscall(SYS_set_robust_list, &w->death, sizeof(w->death));
}

/* Sleeps while `wake` has its expected value, signals the eventfd, and sleeps until it is armed
 * again. Processes share the segment's futex, so neither wait uses FUTEX_PRIVATE_FLAG. */
static void *wake_thread(void *data)
{
	const uint64_t one = 1;
	struct futex_watch *w = data;

	note_death(w);
	for (;;) {
		while (__atomic_load_n(&w->armed, __ATOMIC_ACQUIRE) == 0)
			futex_wait(&w->armed, 0);
		while (__atomic_load_n(&w->shared->wake, __ATOMIC_ACQUIRE) == w->expected)
			futex_wait(&w->shared->wake, w->expected);
		__atomic_store_n(&w->armed, 0, __ATOMIC_RELEASE);
		if (write(w->event, &one, sizeof(one)) < 0)
			continue; /* the counter is full: the loop is notified already */
	}
	return NULL;
}

/* Pauses until an event is stamped: the recorder then wakes the loop, which wakes us in
 * futex_watch_arm(). A recorder in a sandbox must not, so we also check from time to time. The
 * clock advances once more, so that the first event finds it changed. */
static void pause_until_event(struct futex_watch *w, uint32_t stamped)
{
	const struct timespec most = { 0, REST_NS };
	const uint64_t one = 1;
	ssize_t ignored;

	__atomic_store_n(&w->shared->tick_rests, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&w->shared->tick, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->paused_since, clock_now(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
	while (__atomic_load_n(&w->shared->tick_rests, __ATOMIC_SEQ_CST) == 1 &&
	       __atomic_load_n(&w->shared->stamped, __ATOMIC_SEQ_CST) == stamped)
		syscall(SYS_futex, &w->shared->tick_rests, FUTEX_WAIT, 1, &most, NULL, 0);
	__atomic_store_n(&w->shared->tick_rests, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->paused_since, 0, __ATOMIC_RELEASE);
	ignored = write(w->event, &one, sizeof(one));
	(void)ignored;
}

/* Pauses until a thread finds its pending flag, or the loop resumes the clock. */
static void pause_until_resumed(struct futex_watch *w)
{
	const struct timespec most = { 0, REST_NS };

	__atomic_store_n(&w->paused_since, clock_now(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
	while (__atomic_load_n(&w->shared->tick_rests, __ATOMIC_SEQ_CST) == 1)
		syscall(SYS_futex, &w->shared->tick_rests, FUTEX_WAIT, 1, &most, NULL, 0);
	__atomic_store_n(&w->paused_since, 0, __ATOMIC_RELEASE);
}

/* A process with many events and call stacks advances the clock, too, once a millisecond. */
static bool recorder_may_advance(const struct futex_watch *w)
{
	return w->flags & MU_CFG_STACKS && !(w->flags & (MU_CFG_LOG | MU_CFG_ACCESSES));
}

/* With samples alone each event that is recorded advances the clock. The others need no time. */
static bool recorder_advances(const struct futex_watch *w)
{
	return w->flags & MU_CFG_SAMPLE && recorder_may_advance(w);
}

/* Advances the clock to the current time, and by at least one in case a clock was wrong. Returns ns
 * until the next call, longer while the recorder advances the clock itself. */
static long advance_clock(struct futex_watch *w)
{
	uint64_t last = __atomic_load_n(&w->shared->tick, __ATOMIC_RELAXED);
	uint64_t now = (clock_now(CLOCK_MONOTONIC) - w->start_ns) / 1000000, next;
	bool is_helped = recorder_may_advance(w) && last > w->moved_to && last + 1 >= now;

	if (is_helped)
		return recorder_advances(w) ? TICK_SAMPLED_NS : TICK_HELPED_NS;
	do
		next = now > last ? now : last + 1;
	while (!__atomic_compare_exchange_n(&w->shared->tick, &last, next, true, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED));
	w->moved_to = next;
	return recorder_advances(w) ? TICK_SAMPLED_NS : TICK_NS;
}

/* Advances the clock where events are logged (a program's lone thread reads the exact time only
 * when the clock has advanced; docs/format.md, section 6) or call stacks are recorded (for the
 * times of births and snapshots). */
static void *clock_thread(void *data)
{
	struct futex_watch *w = data;
	struct timespec pause = { 0, TICK_NS };
	bool may_rest = !(w->flags & MU_CFG_STACKS);
	unsigned int idle = 0;
	uint32_t seen = 0;

	for (;;) {
		uint32_t stamped;

		nanosleep(&pause, NULL);
		if (!may_rest && __atomic_load_n(&w->shared->tick_rests, __ATOMIC_SEQ_CST))
			pause_until_resumed(w);
		pause.tv_nsec = advance_clock(w);
		stamped = __atomic_load_n(&w->shared->stamped, __ATOMIC_RELAXED);
		idle = stamped == seen ? idle + 1 : 0;
		seen = stamped;
		if (!may_rest || idle < IDLE_ADVANCES)
			continue;
		pause_until_event(w, seen);
		idle = 0;
	}
	return NULL;
}

/* A recorder of pages advances the clock itself. */
static bool needs_clock(const struct futex_watch *w)
{
	return w->flags & MU_CFG_LOG || (w->flags & MU_CFG_STACKS && !(w->flags & MU_CFG_PAGES));
}

static bool start_threads(struct futex_watch *w)
{
	bool has_tick = needs_clock(w);
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int failed;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES > PTHREAD_STACK_MIN ? STACK_BYTES :
									    PTHREAD_STACK_MIN);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* they read the arena's header: durable_guard() */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&thread, &attr, wake_thread, w);
	/* Without this thread, times are only as exact as the drains of the log. */
	if (!failed && has_tick && pthread_create(&thread, &attr, clock_thread, w) != 0)
		w->lacks_clock_thread = true;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	w->is_started = !failed;
	return w->is_started;
}

bool futex_watch_moves_clock(const struct futex_watch *w)
{
	return needs_clock(w) && w->flags & MU_CFG_STACKS && w->is_started &&
	       !w->lacks_clock_thread;
}

bool futex_watch_is_clock_paused(const struct futex_watch *w)
{
	return __atomic_load_n(&w->shared->tick_rests, __ATOMIC_SEQ_CST) != 0;
}

void futex_watch_pause_clock(struct futex_watch *w)
{
	__atomic_store_n(&w->shared->tick_rests, 1, __ATOMIC_SEQ_CST);
}

void futex_watch_resume_clock(struct futex_watch *w)
{
	if (__atomic_exchange_n(&w->shared->tick_rests, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &w->shared->tick_rests, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool futex_watch_is_idle(const struct futex_watch *w)
{
	uint64_t since = __atomic_load_n(&w->paused_since, __ATOMIC_ACQUIRE);

	return since != 0 && clock_now(CLOCK_MONOTONIC) - since > REST_NS;
}

bool futex_watch_arm(struct futex_watch *w)
{
	if (__atomic_load_n(&w->paused_since, __ATOMIC_ACQUIRE) &&
	    !__atomic_load_n(&w->shared->tick_rests, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &w->shared->tick_rests, FUTEX_WAKE, 1, NULL, NULL, 0);
	if (w->lacks_clock_thread)
		__atomic_fetch_add(&w->shared->tick, 1, __ATOMIC_RELAXED);
	if (!w->is_started && !start_threads(w))
		return false;
	if (__atomic_load_n(&w->armed, __ATOMIC_ACQUIRE) == 1)
		return true;
	__atomic_store_n(&w->shared->collector_waits, 1, __ATOMIC_SEQ_CST);
	w->expected = __atomic_load_n(&w->shared->wake, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->armed, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &w->armed, FUTEX_WAKE, 1, NULL, NULL, 0);
	return true;
}
