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

/* marks_paused -- how often recording was paused by the program, and for how long in all.
 *
 * until    nanoseconds of CLOCK_MONOTONIC: the end of a pause that was not resumed.
 * is_over  set to whether the last one was resumed.
 * Returns how often; *ns gets the time.
 */
uint64_t marks_paused(const struct image *im, uint64_t until, uint64_t *ns, bool *is_over);
