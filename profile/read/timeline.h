/* timeline.h -- the memory of a process as the kernel saw it, from time to time.
 *
 *	struct timeline t;
 *
 *	if (timeline_load(&t, &image, &err) == 0 && t.count > 0)
 *		timeline_split(&t, timeline_highest(&t), &parts);
 *	timeline_free(&t);
 *
 * docs/format.md, section 8, says who takes the samples and when.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "recording/recording.h"

enum { TIMELINE_MAX = 1 << 20 };	/* samples that are believed of a recording */

struct timeline {
	struct mu_sample *sample;	/* times never decrease */
	uint32_t count;
	uint64_t start_ns;		/* CLOCK_MONOTONIC when the image began */
	uint64_t rss_peak;		/* the kernel's own high-water mark, 0 unknown */
	bool counts_pages;		/* the heap is the pages that the program mapped */
	bool lacks_blocks;		/* some were allocated while nothing was recorded */
	bool began_attached;		/* the program ran before the first look */
	uint64_t event_bytes;		/* asked for in the mean of all events so far */
	uint64_t heap_peak;		/* of live blocks so far */
	double sample_distance;		/* the heap is an estimate, if it is not 0 */
	uint64_t rounding;		/* at most: what malloc added to live blocks, for its own
					 * data and to round up. 0: hardly anything is spare */
};

/* timeline_init -- Sets what holds for all samples of an image, and takes none of them. */
void timeline_init(struct timeline *t, const struct image *im);

/* timeline_load -- copy the samples of an image.
 *
 * t   overwritten; release with timeline_free() in any case. Without samples it is empty.
 * im  of a live or dead process, or kept.
 * Samples whose times go back are left out. Returns 0, or -1 with ERR without memory.
 */
int timeline_load(struct timeline *t, const struct image *im, struct mu_error *err);

/* timeline_free -- release everything. Fine for a zeroed struct, and twice. */
void timeline_free(struct timeline *t);

/* timeline_resident -- bytes of memory in use at a sample, the recorder's own included. */
uint64_t timeline_resident(const struct mu_sample *sample);

/* timeline_highest -- the sample at which the program had most memory; 0 of an empty timeline.
 *
 * The recorder's memory does not count: it may grow until the end of the run. */
uint32_t timeline_highest(const struct timeline *t);

/* The uses of resident memory, in bytes. The parts add up to `resident`. */
struct memory_split {
	uint64_t time_ns;	/* since the image began */
	uint64_t resident;
	uint64_t highest;	/* resident memory of the sample that has most of it */
	bool counts_pages;	/* as in struct timeline, like the next one */
	bool lacks_blocks;
	bool began_attached;
	double sample_distance;	/* `heap` is an estimate: mean bytes between samples; 0: exact */
	uint64_t heap;		/* live blocks: asked for by the program, and touched */
	uint64_t spare;		/* estimate: kept by malloc beyond them (freed room, rounding, its
				 * own data), and mappings that the program made itself */
	uint64_t globals;	/* estimate: variables of program and libraries */
	uint64_t stacks;
	uint64_t file;		/* pages of the program, its libraries and mapped files */
	uint64_t shared;	/* shared memory of the program */
	uint64_t recorder;	/* would not be there without memusage */
	/* Not resident. */
	uint64_t untouched;	/* of live blocks, at least: never written to, or swapped out. If
				 * it is not 0, `heap` may contain spare room. Of an estimate what
				 * it is beyond its error. Mappings of -m do not count */
	uint64_t swap;
	uint64_t unknown;	/* of `heap` and `spare`: more than malloc can have kept, since the
				 * heap was never so large, rounded up. 0: little, or not known */
};

/* timeline_split -- Splits the memory of sample I by use.
 *
 * All zero if there is no such sample. Memory that the process had before its first block (the
 * first sample) counts as its variables.
 */
void timeline_split(const struct timeline *t, uint32_t i, struct memory_split *split);
