/* top.h -- lists of who holds the most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_MODEL_TOP_H
#define PROFILE_MODEL_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/model/attribution.h"
#include "profile/read/sites.h"

struct top_entry {
	struct position at;	/* the holder, on its heaviest stack; left is 0: unknown */
	int64_t bytes;
	int64_t blocks;
	int64_t heaviest;	/* of one stack, in what the list is ordered by */
	uint32_t stacks;	/* how many stacks came together here */
	int64_t life;		/* of all blocks ever allocated there, as in struct site ... */
	uint64_t lives;		/* ... which are so many */
};

struct top {
	struct top_entry *entry;	/* largest first */
	uint32_t count;
	int64_t bytes;			/* of all sites together */
	int64_t blocks;
};

enum top_kind {
	TOP_HOLDERS,	/* by holder and line: each byte belongs to one entry */
	TOP_BY_FUNCTION,	/* likewise by the holder's function, */
	TOP_BY_FILE,		/* its source file, */
	TOP_BY_OBJECT,		/* or its program or library */
	TOP_FUNCTIONS	/* by function, with all that it called: each byte belongs to every
			 * function on its stack, once */
};

/* top_build -- sum up a metric.
 *
 * t          overwritten; top_free() it in any case.
 * h          for the profile.
 * weight     one per site, from sites_weigh(); less than nothing counts as nothing.
 * by_blocks  order by blocks, not bytes.
 * Entries that weigh nothing are left out.
 * Returns 0, or -1 with ERR without memory.
 * Cost O(sites log sites), or O(frames of all stacks) for TOP_FUNCTIONS.
 */
int top_build(struct top *t, const struct attribution *h, const struct weight *weight,
	      enum top_kind kind, bool by_blocks, struct mu_error *err);

/* top_free -- release the entries. Fine for a zeroed struct. */
void top_free(struct top *t);

#endif
