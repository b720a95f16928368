/* merge_curve.h -- The heaps of several processes over time, and when their sum was largest.
 *
 * The heap of a process, and that of each of its places, is known at moments: its start, snapshots
 * with values, its peak, and its end. Between two of them it counts as at the first. So the sum at
 * any moment is also the sum of places, and a single process has its own peak.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/merge/merge_moment.h"
#include "profile/merge/merge_process.h"
#include "profile/read/image.h"
#include "profile/read/segment.h"

struct merge_moment {
	uint64_t ns;		/* CLOCK_REALTIME */
	int64_t heap;		/* bytes of the process's own */
	uint32_t process;
	int32_t which;		/* a snapshot, or enum merge_moment_kind */
	uint32_t order;		/* of moments at the same time */
};

/* Zeroed, it is empty. */
struct merge_curve {
	struct merge_moment *moment;	/* after merge_curve_finish() in the order of time */
	uint32_t count, room;
	uint64_t start_ns, end_ns, peak_ns;
	int64_t peak;			/* bytes */
	int32_t *at_peak;		/* by process: which moment it had then */
	int64_t *bytes_at_peak;
};

/* merge_curve_add -- Adds the moments of an image, whose process has the number PROCESS.
 *
 * p  its start, end, peak and live bytes are known; the latter two are set for a forked child whose
 *    own memory is known, at what is known of its places.
 */
void merge_curve_add(struct merge_curve *c, struct merge_process *p, uint32_t process,
		     const struct segment *s, const struct image *im);

/* merge_curve_join -- Adds the moments of another curve, whose first process has the number PROCESS
 * here. Neither is finished. */
void merge_curve_join(struct merge_curve *c, const struct merge_curve *from, uint32_t process);

/* merge_curve_finish -- Finds the peak of the sum, after all processes were added.
 *
 * Cost O(n log n) of all moments, of which a process has about a hundred; 32 bytes each.
 */
void merge_curve_finish(struct merge_curve *c, uint32_t processes);

/* merge_curve_parts -- Computes the highest sum of each group in each of COUNT equal parts of the
 * time.
 *
 * group  by process; GROUPS or more: none. NULL: each process is a group.
 * part   COUNT numbers for each group, overwritten.
 * Cost O(moments + groups * COUNT).
 */
void merge_curve_parts(const struct merge_curve *c, uint32_t processes, const uint32_t *group,
		       uint32_t groups, int64_t *part, uint32_t count);

/* merge_curve_at -- Finds which of its moments each process has in the middle of each of COUNT
 * equal parts of the time.
 *
 * ns     overwritten: these middles.
 * which  COUNT for each process, overwritten; MERGE_GONE before its start, too.
 * Cost O(moments + processes * COUNT).
 */
void merge_curve_at(const struct merge_curve *c, uint32_t processes, uint64_t *ns, int32_t *which,
		    uint32_t count);

/* merge_curve_free -- Releases everything. */
void merge_curve_free(struct merge_curve *c);
