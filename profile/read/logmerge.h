/* logmerge.h -- the events of all threads of one image, in the order of their times.
 *
 * A process may still be running: then only what is certain to be in order comes out, and
 * chunks that have been read are given back to the recorder. See docs/format.md, section 6.
 *
 *	logmerge_init(&m, ...);
 *	for each pass {
 *		logmerge_begin(&m, &image, &clock, is_dead);
 *		while ((n = logmerge_read(&m, &image, batch, MAX)) > 0)
 *			...
 *	}
 *	logmerge_fini(&m);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/read/image.h"

/* A moment that both clocks have seen, and their rate since the one before: times between are
 * interpolated. With MU_TIME_MONOTONIC raw and ns are the same. */
struct log_clock {
	uint64_t raw, ns;	/* now */
	uint64_t scale;		/* ns per raw unit, times 2^32 */
};

/* log_clock_begin -- the first moment.
 *
 * raw, ns  of the segment's start.
 */
void log_clock_begin(struct log_clock *clock, uint64_t raw, uint64_t ns);

/* log_clock_advance -- the moment before now becomes the one before, RAW and NS are now. */
void log_clock_advance(struct log_clock *clock, uint64_t raw, uint64_t ns);

/* log_clock_ns -- CLOCK_MONOTONIC at RAW. */
static inline uint64_t log_clock_ns(const struct log_clock *clock, uint64_t raw)
{
	int64_t distance = (int64_t)(raw - clock->raw);

	return clock->ns + (uint64_t)(int64_t)(((__int128)distance * clock->scale) >> 32);
}

/* An event after the merge; the layout of a data file's record. */
struct log_event {
	uint64_t heap;	/* bytes live after the event */
	uint64_t stack; /* depth of the calling thread, bytes */
	uint64_t time;	/* ns since the origin */
};

struct log_chain;

struct logmerge {
	uint64_t heap;		/* running heap */
	uint64_t heap_peak;
	uint64_t stack_peak;
	uint64_t total_peak;	/* of heap and that event's stack together */
	uint64_t last_ns;	/* time of the last event, since the origin */
	uint64_t events;
	/* The rest is private. */
	uint64_t origin_ns;	/* CLOCK_MONOTONIC of time 0 */
	uint64_t budget;	/* bytes that may still be read in this pass */
	uint64_t budget_full;
	uint64_t limit_raw;	/* events up to here are complete */
	uint64_t previous_raw;	/* an unknown thread's events are not older */
	struct log_clock clock;
	struct log_chain *chain;
	uint32_t *queue;	/* indices of chains with events, a heap by time */
	uint32_t chain_count;
	uint32_t queue_count;
};

/* logmerge_init -- begin with an image.
 *
 * heap        bytes live before its first event.
 * origin_ns   CLOCK_MONOTONIC from which times count.
 * log_limit   mu_config.log_limit: bounds what a hostile recording can make us read.
 */
void logmerge_init(struct logmerge *m, int64_t heap, uint64_t origin_ns, uint64_t log_limit);

/* logmerge_fini -- free memory. The totals stay. */
void logmerge_fini(struct logmerge *m);

/* logmerge_begin -- begin a pass: look which events are there and certain.
 *
 * im       refreshed here; its memory must be writable (chunks are marked as consumed).
 * clock    advanced to now just before.
 * is_dead  nothing more is written: everything that is there comes out.
 * Returns 0, or -1 without memory (the next pass may succeed).
 */
int logmerge_begin(struct logmerge *m, struct image *im, const struct log_clock *clock,
		   bool is_dead);

/* logmerge_read -- the next events of the pass.
 *
 * Returns how many were stored in BATCH, at most MAX; 0 at the end of the pass.
 * Cost  3 ns per event of a single thread, O(log threads) otherwise.
 */
size_t logmerge_read(struct logmerge *m, const struct image *im, struct log_event *batch,
		     size_t max);

/* logmerge_discard -- Gives all read-only chunks back without reading their events, for images
 * whose events are not wanted. */
void logmerge_discard(struct logmerge *m, struct image *im);
