/* merge_course.h -- What all processes together held at each place, at moments in equal distances.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum { MERGE_MOMENTS = 24 };

/* Bytes and blocks of a place at all moments. */
struct merge_place_course {
	int64_t bytes[MERGE_MOMENTS], blocks[MERGE_MOMENTS];
};

/* Zeroed, it is empty. */
struct merge_course {
	uint64_t ns[MERGE_MOMENTS];	/* CLOCK_REALTIME */
	struct merge_place_course *place;	/* by site of the merge, of the first PLACES */
	uint32_t places;
	int32_t *which;			/* by process, then moment: what it had, as in
					 * merge_moment.h; 96 bytes for a process */
	uint32_t room;			/* private */
};

/* merge_course_begin -- Makes room for the moments of all processes, to be filled in by
 * merge_curve_at(). */
void merge_course_begin(struct merge_course *c, uint32_t processes);

/* merge_course_reserve -- Makes room for SITES sites of the merge; new ones have nothing. */
void merge_course_reserve(struct merge_course *c, uint32_t sites);

/* merge_course_at -- Returns which of its moments a process had at moment number I: a snapshot, or
 * one of enum merge_moment_kind. */
int32_t merge_course_at(const struct merge_course *c, uint32_t process, uint32_t i);

/* merge_course_add -- Adds what one of its sites held in a process at moments FIRST to END - 1.
 *
 * site  of the merge, for which there is room.
 */
void merge_course_add(struct merge_course *c, uint32_t site, uint32_t first, uint32_t end,
		      int64_t bytes, int64_t blocks);

/* merge_course_sum -- Returns the bytes of all places at moment number I. */
int64_t merge_course_sum(const struct merge_course *c, uint32_t i);

/* merge_course_free -- Releases everything. */
void merge_course_free(struct merge_course *c);
