/* push_set.h -- What one push to a server of profiles holds: the stacks of all processes.
 *
 *	struct push_set s;
 *
 *	push_set_build(&s, process, count);
 *	push_set_keep(&s, 16000);
 *	push_dictionary_build(&d, &s);
 *	push_pprof_encode(&message, &s, &d);
 *
 * Servers add up what was allocated over the pushes of a time, so a push has what was allocated
 * since the one before. Memory in use is the state at one moment. Servers refuse profiles with too
 * many samples; the smallest are one sample then, PUSH_OTHER, so all sums stay true.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/export.h"

/* In the order and with the names of Go's heap profiles. */
enum push_type {
	PUSH_ALLOC_OBJECTS, PUSH_ALLOC_SPACE, PUSH_INUSE_OBJECTS, PUSH_INUSE_SPACE, PUSH_TYPES
};

struct push_type_name {
	const char *type, *unit;
};

extern const struct push_type_name push_type_names[PUSH_TYPES];

/* The function to which samples without a stack of their own belong. */
#define PUSH_OTHER "[other places]"

/* Frames of a stack that are sent: Pyroscope cuts more. */
enum { PUSH_DEPTH_MAX = 1000 };

/* A process, or an image of one. Everything is borrowed. */
struct push_process {
	const struct export *export;	/* with names */
	const struct sites *earlier;	/* its sites at the push before; NULL: it has begun since */
	bool has_ended;			/* nothing of it is in use */
};

struct push_sample {
	uint32_t process;
	uint32_t site;
	int64_t value[PUSH_TYPES];
	double share;		/* the largest, in any type */
};

struct push_set {
	const struct push_process *process;	/* borrowed */
	size_t processes;
	struct push_sample *sample;	/* the first `kept` are sent separately */
	size_t count, kept;
	int64_t other[PUSH_TYPES];	/* the sum of the rest */
	uint64_t time_ns;		/* since 1970; set by the caller, as is the next */
	uint64_t duration_ns;		/* since the push before */
	double distance;		/* mean bytes between two samples, 0: all are recorded */
};

/* push_set_build -- collect the samples, the largest first.
 *
 * Sites at which nothing was allocated since, and nothing is in use, are left out. All are kept.
 */
void push_set_build(struct push_set *s, const struct push_process *process, size_t processes);

/* push_set_keep -- keep at most so many samples, the one for all others included, if it is needed.
 *
 * most  at least 1. */
void push_set_keep(struct push_set *s, size_t most);

/* push_set_has_other -- Tells whether there is a sample for all others. */
bool push_set_has_other(const struct push_set *s);

/* push_set_free -- release it. */
void push_set_free(struct push_set *s);
