/* page_moments.h -- the snapshots of a report page, and who held what at each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page.h"

/* The places of a snapshot, by node of the page; zeroes to begin with. */
struct page_moment {
	int64_t *bytes, *blocks;
};

/* A page's data of a snapshot. */
enum page_shot {
	PAGE_SHOT_NONE,		/* it is passed over */
	PAGE_SHOT_FIGURES,	/* its figures */
	PAGE_SHOT_PLACES	/* and who held what */
};

/* Snapshots, first to last. */
struct page_shots {
	uint64_t count;
	/* Add the values of snapshot I to those of M. Called for all in order, several times. */
	enum page_shot (*take)(void *data, uint64_t i, struct page_moment *m);
	/* Write its members but "values". */
	void (*put)(void *data, uint64_t i, struct page_json *j);
	void *data;
};

/* page_put_shots -- write the members "snapshots" and "snapshot_share".
 *
 * Of each snapshot the nodes are written that differ from the one before. If those are more than
 * the budget has, small ones are added to others of the same place, with as many callers in common
 * as possible (page_holders.h), or to the root if their places are small, too.
 * c  the nodes of the page, cut from T.
 */
void page_put_shots(struct page_json *j, const struct page_tree *t, const struct page_cut *c,
		    const struct page_shots *s, const struct page_budget *b);
