/* page_merge.h -- The member "merge" of a page: the processes of a merge, and how they differ.
 *
 * docs/format.md describes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/page/page_groupings.h"
#include "formats/page/page_json.h"
#include "formats/page/page_stacks.h"
#include "formats/page/page_tree.h"
#include "profile/base/error.h"
#include "profile/merge/merge_overview.h"
#include "profile/read/sites.h"

enum { PAGE_MERGE_FIGURES = 3 };	/* at the peak, at the end, in all */

/* How processes differ at the groups of places that have most, in one grouping. */
struct page_merge_spreads {
	uint32_t *group_of_place;	/* by place of the tree: + 1, 0: none of them */
	uint32_t groups;
	struct merge_spread *spread[PAGE_MERGE_FIGURES];
};

struct page_merge {
	const struct merge *merge;
	const char *const *file;	/* names of its recordings; NULL: not worth being shown */
	/* private */
	struct merge_overview overview;
	struct page_merge_spreads by[PAGE_GROUPINGS];
};

/* page_merge_init -- Compares the processes at the places that have most.
 *
 * p      its first part is filled in; the caller calls page_merge_free() in any case.
 * m      p->merge, whose file is read.
 * sites  of the recording that was made of it; STACKS are theirs.
 * Returns 0, or -1 with ERR: the file of the merge cannot be read.
 * Cost about 30 ns for each value in the file, and 3 ms for 10,000 processes and a place.
 */
int page_merge_init(struct page_merge *p, struct merge *m, const struct sites *sites,
		    const struct page_stacks *stacks, struct mu_error *err);

/* page_merge_put -- Writes the member.
 *
 * nodes  that the page may have: as the page shrinks, fewer processes are listed.
 */
void page_merge_put(struct page_json *j, const struct page_merge *p,
		    const struct page_stacks *stacks, const struct page_cut *c, uint32_t nodes);

/* page_merge_free -- Releases the private part. */
void page_merge_free(struct page_merge *p);
