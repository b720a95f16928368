/* names_ahead.h -- Have names looked up while the program runs, for the reports after its end.
 *
 * memusageprint looks them up, as it does for a report, with the lowest priority, and keeps them
 * in the names cache, where the report finds them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* Zeroed before the first call. The fields are private. */
struct names_ahead {
	pid_t helper;		/* 0: none runs */
	int pidfd;		/* of the helper; -1: it is polled */
	uint64_t first_ns;	/* CLOCK_MONOTONIC of the first call with a program; 0: none yet */
	uint64_t began_ns;	/* of the helper */
	uint64_t due_ns;	/* when the next helper may start */
	uint64_t frames;	/* in the images when the last one was started */
	bool is_useless;	/* there is no cache, or there are no reports */
};

/* names_ahead_advance -- Starts a helper if it is due and the program has met new places, and reaps
 * one that has ended.
 *
 * Returns milliseconds until it has to be called again, or -1 if only a new event matters.
 * Cost one wake each time that the run has become a quarter longer, and a tenth of one CPU at most
 * that is idle otherwise.
 */
int names_ahead_advance(struct names_ahead *n, struct tree *t);

/* names_ahead_stop -- Ends the helper, if any, and starts no other. */
void names_ahead_stop(struct names_ahead *n);
