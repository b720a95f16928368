/* page_diff.h -- what a report page shows of two files that are compared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/diff.h"
#include "formats/page/page.h"
#include "formats/page/page_stacks.h"

/* The heap of one side over time. */
struct page_curve {
	const char *unit;	/* of time: "ns", "ms", "i" (instructions) or "B"; NULL: no curve */
	uint64_t *time;		/* since the start; never decreases */
	int64_t *heap;		/* bytes */
	uint32_t count;
};

/* Borrowed but for the private part. */
struct page_diff {
	const struct diff_export *what;	/* its metrics are some of peak, end and total */
	struct page_curve curve[SIDES];
	struct page_stacks stacks;	/* private */
};

/* page_diff_init -- Makes the tree of the stacks of both sides.
 *
 * p  its first part is filled in; page_diff_free() it.
 */
void page_diff_init(struct page_diff *p);

/* page_diff_fill -- Writes the members of the page; the fill of struct page. */
void page_diff_fill(struct page_json *j, const void *page_diff, const struct page_budget *b);

/* page_diff_free -- Releases the private part. */
void page_diff_free(struct page_diff *p);
