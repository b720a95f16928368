/* collector_futex_watch.c -- the threads that wait for an arena tell the loop of each wake, and
 * race with nothing: they are all the threads that a collector has.
 *
 * Built with SAN=thread this is where ThreadSanitizer sees them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/futex_watch.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memusage/common/clock.h"
#include "tests/lib/tap.h"

enum { ROUNDS = 200, WAIT_MS = 20000 };

static struct mu_segment segment;
static int told[2];

static void wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* A recorder with something for the collector; docs/format.md, 2.2. */
static void *be_recorder(void *data)
{
	uint32_t waits = 1;
	char byte;

	(void)data;
	while (read(told[0], &byte, 1) == 1) {
		__atomic_fetch_add(&segment.stamped, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&segment.wake, 1, __ATOMIC_SEQ_CST);
		waits = 1;
		if (__atomic_compare_exchange_n(&segment.collector_waits, &waits, 0, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			wake(&segment.wake);
	}
	return NULL;
}

static bool hears(int event)
{
	struct pollfd wait = { .fd = event, .events = POLLIN };
	uint64_t count;

	return poll(&wait, 1, WAIT_MS) == 1 && read(event, &count, sizeof(count)) == sizeof(count);
}

static void check(uint32_t flags, const char *text)
{
	struct futex_watch *w = calloc(1, sizeof(*w));
	unsigned int heard = 0;
	uint64_t tick;

	*w = (struct futex_watch){ .shared = &segment,
				   .event = eventfd(0, EFD_NONBLOCK),
				   .start_ns = clock_now(CLOCK_MONOTONIC),
				   .flags = flags };
	tick = __atomic_load_n(&segment.tick, __ATOMIC_SEQ_CST);
	for (int i = 0; i < ROUNDS; i++) {
		if (!OK(futex_watch_arm(w), "%s: armed", text))
			return;
		EQ_I(write(told[1], "", 1), 1);
		heard += hears(w->event);
		if (futex_watch_is_clock_paused(w))
			futex_watch_resume_clock(w);
		futex_watch_is_idle(w);
		if (i % 16 == 0)
			futex_watch_pause_clock(w);
	}
	futex_watch_resume_clock(w);
	EQ_U(heard, ROUNDS);
	OK(!futex_watch_moves_clock(w) == !(flags & MU_CFG_STACKS), "%s: says whether it ticks",
	   text);
	for (int i = 0; futex_watch_moves_clock(w) && i < WAIT_MS &&
			__atomic_load_n(&segment.tick, __ATOMIC_SEQ_CST) == tick;
	     i++)
		poll(NULL, 0, 1);
	OK(!futex_watch_moves_clock(w) || __atomic_load_n(&segment.tick, __ATOMIC_SEQ_CST) > tick,
	   "%s: the tick moves", text);
}

int main(void)
{
	pthread_t recorder;

	if (pipe(told) < 0 || pthread_create(&recorder, NULL, be_recorder, NULL) != 0)
		return 1;
	check(0, "counting");
	check(MU_CFG_LOG, "a log");
	check(MU_CFG_STACKS, "call stacks");
	close(told[1]);
	pthread_join(recorder, NULL);
	return done_testing();
}
