/* fragmentation_parts.h -- Paragraphs of the report on fragmentation.
 *
 * Streams are those of layout_open().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/text/toplist.h"
#include "profile/model/page_places.h"
#include "profile/read/pages.h"

/* The places of the report. */
struct fragmentation {
	const struct toplist *list; /* for names */
	const struct pages *pages;
	struct page_places places;
	struct top top;		/* of live blocks: one entry for each place */
	uint32_t *entry;	/* per number of a place: index in top.entry + 1, 0 none */
	uint32_t *number;	/* per site: number of its place, or UINT32_MAX */
	uint32_t sites, numbers;
	uint64_t large_freed;	/* as for page_advice_find() */
};

/* fragmentation_put_place -- Prints the name of a place; "[others]" for PAGE_PLACES_OTHER. */
void fragmentation_put_place(FILE *out, const struct fragmentation *f, uint32_t number);

/* fragmentation_put_resident -- Prints the parts of resident memory, as a table. */
void fragmentation_put_resident(FILE *out, const struct mu_pages *h);

/* fragmentation_put_tops -- Prints which blocks keep heaps from shrinking, if they keep much. */
void fragmentation_put_tops(FILE *out, const struct fragmentation *f);

/* fragmentation_put_pairs -- Prints short-lived and long-lived places that share pages. */
void fragmentation_put_pairs(FILE *out, const struct fragmentation *f);

/* fragmentation_put_advice -- Prints what would make the heap smaller. */
void fragmentation_put_advice(FILE *out, const struct fragmentation *f);
