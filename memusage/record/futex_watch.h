/* futex_watch.h -- hear of a segment's `wake` in an event loop.
 *
 * A futex cannot be waited for together with descriptors, so a thread sleeps on it and pokes
 * an eventfd. Between two pokes the loop must call futex_watch_arm(): a program that logs a million
 * events a second wakes us once per pass, not once per event.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_FUTEX_WATCH_H
#define MEMUSAGE_RECORD_FUTEX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

struct futex_watch {
	struct mu_segment *shared;
	int event;		/* eventfd that is poked */
	uint32_t expected;	/* value of wake at futex_watch_arm() */
	uint32_t armed;		/* futex: 1 while the thread may sleep on wake */
	bool is_started;
	bool has_no_tick;	/* no thread could be had for mu_segment.tick */
	uint64_t rests_since;	/* CLOCK_MONOTONIC since when the tick rests, 0: it does not */
	uint64_t start_ns;	/* CLOCK_MONOTONIC when the tick was 0 */
	uint64_t moved_to;	/* what the tick became when it was moved from here last */
	uint32_t flags;		/* enum mu_config_flag of the segment */
};

/* futex_watch_moves_clock -- whether the segment's tick is moved once a millisecond, and may rest
 * only when the caller of futex_watch_pause_clock() says so. Where nothing but a log needs it it
 * rests by itself. */
bool futex_watch_moves_clock(const struct futex_watch *w);

/* futex_watch_pause_clock -- let the tick rest.
 *
 * Every thread holds a knock; to be looked at again afterwards: one that has lost it meanwhile does
 * not know, and futex_watch_resume_clock() is due. A thread that finds its knock ends the rest
 * itself.
 */
void futex_watch_pause_clock(struct futex_watch *w);

/* futex_watch_resume_clock -- end the rest, if it is not over. */
void futex_watch_resume_clock(struct futex_watch *w);

/* futex_watch_is_clock_paused -- whether futex_watch_pause_clock() holds. */
bool futex_watch_is_clock_paused(const struct futex_watch *w);

/* futex_watch_arm -- from now on poke for whatever happens to the segment.
 *
 * Call it before looking at the segment, so that nothing falls between. Starts the thread at
 * the first call. Returns false if there can be no thread: the caller must look by a timer.
 */
bool futex_watch_arm(struct futex_watch *w);

/* futex_watch_is_idle -- whether nobody has logged an event for so long that all have been read. */
bool futex_watch_is_idle(const struct futex_watch *w);

#endif
