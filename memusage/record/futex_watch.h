/* futex_watch.h -- Watch a segment's futex `wake` from an event loop.
 *
 * No poll can wait for a futex together with descriptors, so a thread sleeps on the futex and
 * signals an eventfd. The loop calls futex_watch_arm() after each signal: a program that logs a
 * million events a second thus wakes us once per pass, not once per event.
 *
 * The segment also has a coarse clock (mu_segment.tick), which another thread advances every
 * millisecond. It pauses while no process has events.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

struct futex_watch {
	struct mu_segment *shared;
	int event;	   /* eventfd that is signalled */
	uint32_t expected; /* value of `wake` at futex_watch_arm() */
	uint32_t armed;	   /* futex: 1 while the thread may sleep on `wake` */
	bool is_started;
	bool lacks_clock_thread; /* the clock's thread could not be created */
	uint64_t paused_since;	 /* CLOCK_MONOTONIC since when the clock is paused, 0: it is not */
	uint64_t start_ns;	/* CLOCK_MONOTONIC when the clock was 0 */
	uint64_t moved_to;	/* value to which this side last advanced the clock */
	uint32_t flags;		/* enum mu_config_flag of the segment */
	struct robust_list_head death; /* of the thread, with the one word below */
	struct robust_list death_word;
};

/* futex_watch_moves_clock -- Tells whether our thread advances the segment's clock, and pauses it
 * only on futex_watch_pause_clock(). A clock that only a log needs pauses automatically. */
bool futex_watch_moves_clock(const struct futex_watch *w);

/* futex_watch_pause_clock -- Pauses the clock; every thread must have its pending flag set.
 *
 * The caller has to check the flags again afterwards: a thread that cleared its flag meanwhile has
 * not noticed the pause, and futex_watch_resume_clock() is due. A thread that finds its flag set
 * later ends the pause itself.
 */
void futex_watch_pause_clock(struct futex_watch *w);

/* futex_watch_resume_clock -- Ends the pause, if there is one. */
void futex_watch_resume_clock(struct futex_watch *w);

/* futex_watch_is_clock_paused -- Tells whether futex_watch_pause_clock() is in effect. */
bool futex_watch_is_clock_paused(const struct futex_watch *w);

/* futex_watch_arm -- Signals the eventfd for everything that happens to the segment from now on.
 *
 * Call it before reading the segment, so that no change is missed. The first call starts the
 * threads. Returns false if the thread cannot be created: the caller must poll the segment.
 */
bool futex_watch_arm(struct futex_watch *w);

/* futex_watch_is_idle -- Tells whether no event has been logged for so long that all have been
 * read. */
bool futex_watch_is_idle(const struct futex_watch *w);
