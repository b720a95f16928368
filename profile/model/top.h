/* top.h -- lists of who holds the most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/model/position.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

struct top_entry {
	struct position at;	/* where it allocates, on its heaviest stack; left is 0: unknown */
	int64_t bytes;
	int64_t blocks;
	int64_t heaviest;	/* of one stack, in what the list is ordered by; without a sign */
	uint32_t stacks;	/* how many stacks came together here */
	int64_t life;		/* of all blocks ever allocated there, as in struct site ... */
	uint64_t lives;		/* ... which are so many */
	uint32_t first_line;	/* TOP_BY_FUNCTION: of top->line, largest first ... */
	uint32_t lines;		/* ... and how many */
	struct sampled_error error;	/* of bytes and blocks; of estimates only */
	uint32_t site;		/* that of its heaviest stack */
};

/* A line of a function, in TOP_BY_FUNCTION. */
struct top_line {
	struct position at;
	int64_t bytes;
	int64_t blocks;
	struct sampled_error error;
};

struct top {
	struct top_entry *entry;	/* largest first */
	uint32_t count;
	struct top_line *line;		/* of all entries; those of one follow each other */
	int64_t bytes;			/* of all sites together */
	int64_t blocks;
	struct sampled_error error;
};

enum top_kind {
	TOP_BY_LINE,		/* by the function and line that allocated: each byte belongs to
				 * one entry */
	TOP_BY_FUNCTION,	/* likewise by this function, whose lines are listed, too, */
	TOP_BY_FILE,		/* its source file, */
	TOP_BY_OBJECT,		/* or its program or library */
	TOP_FUNCTIONS	/* by function, with all that it called: each byte belongs to every
			 * function on its stack, once */
};

enum top_order {
	TOP_BY_BYTES,
	TOP_BY_BLOCKS,
	TOP_BY_UNITS,	/* of ad hoc events, for bytes: those without any do not count */
	TOP_BY_CHANGE	/* of bytes: an entry's sites may have gained and lost some */
};

/* top_build -- sum up a metric.
 *
 * t       overwritten; top_free() it.
 * f       of the profile; the innermost frame that it keeps is the one that allocated.
 * weight  one per site, from sites_weigh() or, with TOP_BY_CHANGE, from moment_growth(); otherwise
 *         less than nothing counts as nothing.
 * Entries without bytes and blocks are left out, with TOP_BY_BLOCKS all without blocks, and with
 * TOP_BY_UNITS all without units. With TOP_BY_CHANGE the last entries are those that shrank.
 * Cost O(sites log sites), or O(frames of all stacks) for TOP_FUNCTIONS.
 */
void top_build(struct top *t, const struct filter *f, const struct weight *weight,
	       enum top_kind kind, enum top_order order);

/* top_group_sites -- Numbers the places of all sites, also of those that weigh nothing.
 *
 * group  one per site, overwritten: its place, or UINT32_MAX if the filter ignores it or it does
 *        not count. The place of an entry is group[entry.site].
 * kind   anything but TOP_FUNCTIONS.
 * Returns how many places there are. Cost O(sites log sites).
 */
uint32_t top_group_sites(uint32_t *group, const struct filter *f, enum top_kind kind);

/* top_free -- release the entries. Fine for a zeroed struct. */
void top_free(struct top *t);
