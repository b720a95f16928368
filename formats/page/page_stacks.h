/* page_stacks.h -- the tree of a report page from the stacks of a profile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/page/page_tree.h"
#include "profile/model/filter.h"

/* How much of a site is shown. A site that the filter ignores is a part of the heap at a moment. */
enum page_standing { PAGE_NOT_COUNTED, PAGE_IN_MOMENTS, PAGE_SHOWN };

struct page_stacks {
	struct page_tree tree;
	uint32_t *node;		/* of each site, where its stack ends; 0 if it is not shown */
	uint8_t *standing;	/* enum page_standing of each site, needed a few million times */
};

/* page_stacks_init -- Makes the tree of all stacks that a filter leaves.
 *
 * s  overwritten; page_stacks_free() it.
 * f  of a profile whose names are resolved; not needed afterwards.
 * Each frame is walked once, however many stacks it is on: cost about 50 ns per frame and level.
 */
void page_stacks_init(struct page_stacks *s, const struct filter *f);

/* page_stacks_free -- Releases it. */
void page_stacks_free(struct page_stacks *s);
