/* marks.h -- the moments that a program named, and the times in which recording was paused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"

enum {
	MARKS_MAX = 65536	/* believed of a recording; the recorder writes no more */
};

/* marks_get -- mark number INDEX, in the order of their times.
 *
 * Returns false if there is none.
 */
bool marks_get(const struct image *im, uint64_t index, struct mu_mark *mark);

/* A time in which blocks were recorded, in nanoseconds of CLOCK_MONOTONIC. */
struct mark_part {
	uint64_t from, to; /* to is 0 if it lasted to the end */
};

/* marks_recorded -- find the times in which a process recorded that began asleep.
 *
 * part, room  the first ones; set.
 * until       as in marks_paused().
 * Returns how many there are; *ns gets the time in all.
 */
uint64_t marks_recorded(const struct image *im, uint64_t until, struct mark_part *part,
			uint64_t room, uint64_t *ns);

/* marks_paused -- how often recording was paused by the program, and for how long in all.
 *
 * until    nanoseconds of CLOCK_MONOTONIC: the end of a pause that was not resumed.
 * is_over  set to whether the last one was resumed.
 * Returns how often; *ns gets the time.
 */
uint64_t marks_paused(const struct image *im, uint64_t until, uint64_t *ns, bool *is_over);
