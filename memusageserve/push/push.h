/* push.h -- Pushes profiles of the run to a server, again and again.
 *
 * What could not be delivered is tried again, in order, so a server that comes back gets all of it.
 * When PUSH_QUEUE messages wait, no more are made until one is gone: the next one is then about a
 * longer time, and no byte is missing. Only what a server refuses, and what is left some seconds
 * after the end of the run, is dropped, and counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusageserve/loop/loop.h"
#include "memusageserve/push/push_make.h"
#include "memusageserve/push/push_sender.h"
#include "memusageserve/push/push_target.h"
#include "memusageserve/source/push_counts.h"

enum { PUSH_QUEUE = 16, PUSH_QUEUE_BYTES = 32 << 20 };

struct push_settings {
	unsigned int interval_ms;
	const char *service;		/* NULL: the name of the program */
	const struct push_text *label;
	size_t labels;
	uint64_t since_ns;		/* as in struct push_order, as the next one */
	int recording;
	bool no_names_cache;
	bool quiet;
};

struct push;

/* push_open -- Begins to push.
 *
 * run, target, settings  borrowed until push_close().
 */
struct push *push_open(struct loop *loop, const struct run *run, const struct push_target *target,
		       const struct push_settings *settings);

/* push_end -- The run is over: delivers what waits, for some seconds at most. */
void push_end(struct push *p);

/* push_is_idle -- Tells whether nothing is to be delivered any more. True for NULL. */
bool push_is_idle(const struct push *p);

/* push_counts -- Returns the counts, which change until push_close(). */
const struct push_counts *push_counts(const struct push *p);

/* push_close -- Drops what is left, and reports what the server did not get. P may be NULL. */
void push_close(struct push *p);
