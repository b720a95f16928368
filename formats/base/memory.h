/* memory.h -- where the resident memory of a process went, in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "profile/read/site_errors.h"
#include "profile/read/timeline.h"

/* A use of memory. The texts are constants. */
struct memory_part {
	const char *key;	/* for formats: the member of struct memory_split */
	uint64_t bytes;
	const char *text;	/* "stacks" */
};

enum { MEMORY_PARTS = 7, MEMORY_OUTSIDE = 2 };

/* memory_parts -- Names the uses of resident memory that are not 0, in the order of reports.
 *
 * Returns their number.
 */
int memory_parts(const struct memory_split *split, struct memory_part part[MEMORY_PARTS]);

/* memory_outside -- Names what a program has beyond its resident memory, likewise. */
int memory_outside(const struct memory_split *split, struct memory_part part[MEMORY_OUTSIDE]);

/* memory_print -- a line for the whole and one for each part that is there.
 *
 * out       errors stay with it.
 * before    put in front of each line, e.g. "memusage: ".
 * rss_peak  the kernel's own high-water mark, 0: not known.
 * errors    from site_errors_sum(), for the bounds of a heap that is an estimate; NULL: none are
 *           printed.
 * Nothing is printed of a split without memory.
 */
void memory_print(FILE *out, const char *before, const struct memory_split *split,
		  uint64_t rss_peak, const struct site_errors *errors);

/* memory_print_now -- the same of a process that runs; the kernel's mark is named in any case. */
void memory_print_now(FILE *out, const struct memory_split *split, uint64_t rss_peak,
		      const struct site_errors *errors);

/* memory_print_timeline -- the same for the sample with most memory. Nothing without samples. */
void memory_print_timeline(FILE *out, const char *before, const struct timeline *t,
			   const struct site_errors *errors);
