/* points.h -- Program points in a recording; docs/format.md, section 7.2.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* The unit of Massif's time. The emulator or the CPU counts instructions. */
enum mu_unit { MU_UNIT_MS = 0, MU_UNIT_BYTES = 1, MU_UNIT_INSTRUCTIONS = 2 };

/* The clock of program points; see docs/format.md, "Points". */
enum mu_clock { MU_CLOCK_TICKS = 0, MU_CLOCK_NS = 1, MU_CLOCK_CPU = 2, MU_CLOCK_BYTES = 3,
		MU_CLOCK_BLOCKS = 4, MU_CLOCK_INSTRUCTIONS = 5 };

/* A program point as DHAT has it: a stack cut to point_depth frames, and the figures of all
 * threads. A block of size 0 counts as one byte; a block that realloc changes stays with the point
 * that it had, which counts a block and its new size more. */
struct mu_point {
	int64_t live_bytes;
	int64_t live_blocks;
	uint64_t total_bytes;
	uint64_t total_blocks;
	int64_t peak_bytes; /* at the peak of `epoch`, as in mu_cell but by mu_points */
	int64_t peak_blocks;
	int64_t max_bytes; /* the most that was live before a fall */
	int64_t max_blocks; /* at that moment */
	int64_t life; /* sum of free times minus sum of birth times, modulo 2^64 */
	uint64_t hash;
	uint32_t epoch;
	uint32_t site; /* the first one of it */
	uint32_t lock;
	uint32_t frames; /* of the stack of that site, from the innermost one on */
	uint64_t reserved[4];
};

/* The heap as points see it. Times are in units of `unit`, see docs/format.md, "Points". */
struct mu_points {
	uint32_t clock; /* enum mu_clock */
	uint32_t shift; /* a unit is 2^shift ticks or nanoseconds */
	uint32_t epoch; /* + 1 when the heap falls from its peak, reached again or not */
	uint32_t lock;
	int64_t now; /* with several threads: the value published last */
	int64_t peak;
	uint64_t peak_time; /* when it was reached last */
	uint64_t last_time; /* of the last allocation; approximate with several threads */
	uint64_t start_time;
	uint64_t end_time; /* at the exit handlers, or within a millisecond of the last event;
			    * instructions in the emulator: at the last system call */
	uint64_t counter; /* of the clocks that count bytes or blocks */
	uint64_t tick; /* mu_segment.tick when end_time was taken */
	uint64_t start_ticks, start_ns; /* one moment by the time stamp counter and the clock */
	uint64_t end_ticks, end_ns; /* likewise, at end_time */
	uint64_t reserved[2];
};

_Static_assert(sizeof(struct mu_point) == 128, "mu_point must be two cache lines");
