/* waker.h -- hear of a segment's `wake` in an event loop.
 *
 * A futex cannot be waited for together with descriptors, so a thread sleeps on it and pokes
 * an eventfd. Between two pokes the loop must call waker_arm(): a program that logs a million
 * events a second wakes us once per pass, not once per event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_WAKER_H
#define MEMUSAGE_WAKER_H

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
};

/* waker_arm -- from now on poke for whatever happens to the segment.
 *
 * Call it before looking at the segment, so that nothing falls between. Starts the thread at
 * the first call. Returns false if there can be no thread: the caller must look by a timer.
 */
bool waker_arm(struct waker *w);

/* waker_rests -- whether nobody has logged an event for so long that all have been read. */
bool waker_rests(const struct waker *w);

#endif
