/* futex_watch.h -- hear of a segment's `wake` in an event loop.
 *
 * A futex cannot be waited for together with descriptors, so a thread sleeps on it and pokes
 * an eventfd. Between two pokes the loop must call waker_arm(): a program that logs a million
 * events a second wakes us once per pass, not once per event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_FUTEX_WATCH_H
#define MEMUSAGE_RECORD_FUTEX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

struct waker {
	struct mu_segment *shared;
	int event;		/* eventfd that is poked */
	uint32_t expected;	/* value of wake at waker_arm() */
	uint32_t armed;		/* futex: 1 while the thread may sleep on wake */
	bool is_started;
	bool has_no_tick;	/* no thread could be had for mu_segment.tick */
	uint64_t rests_since;	/* CLOCK_MONOTONIC since when the tick rests, 0: it does not */
	uint64_t start_ns;	/* CLOCK_MONOTONIC when the tick was 0 */
	uint64_t moved_to;	/* what the tick became when it was moved from here last */
	uint32_t flags;		/* enum mu_config_flag of the segment */
};

/* waker_ticks -- whether the segment's tick is moved once a millisecond, and may rest only when
 * the caller of waker_rest() says so. Where nothing but a log needs it it rests by itself. */
bool waker_ticks(const struct waker *w);

/* waker_rest -- let the tick rest.
 *
 * Every thread holds a knock; to be looked at again afterwards: one that has lost it meanwhile
 * does not know, and waker_go_on() is due. A thread that finds its knock ends the rest itself.
 */
void waker_rest(struct waker *w);

/* waker_go_on -- end the rest, if it is not over. */
void waker_go_on(struct waker *w);

/* waker_is_resting -- whether waker_rest() holds. */
bool waker_is_resting(const struct waker *w);

/* waker_arm -- from now on poke for whatever happens to the segment.
 *
 * Call it before looking at the segment, so that nothing falls between. Starts the thread at
 * the first call. Returns false if there can be no thread: the caller must look by a timer.
 */
bool waker_arm(struct waker *w);

/* waker_rests -- whether nobody has logged an event for so long that all have been read. */
bool waker_rests(const struct waker *w);

#endif
