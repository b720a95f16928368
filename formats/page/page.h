/* page.h -- a report as one HTML file that needs nothing else: no network, no other file.
 *
 *	const struct page page = { .fill = page_image_fill, .data = &what };
 *
 *	if (page_write(out, &page, &err) < 0)
 *		...;
 *
 * The page is a template, built from page/ by scripts/page.sh and carried in this library, and
 * one JSON object, which docs/format.md describes. The file is at most PAGE_BYTES_MAX long,
 * whatever the run: what is too small to be seen is added up then, and the page says so.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/page/page_json.h"
#include "formats/page/page_tree.h"
#include "profile/base/error.h"

enum { PAGE_BYTES_MAX = 2000000, PAGE_POINTS = 1500 };

/* How much may be shown. */
struct page_budget {
	uint32_t nodes;		/* of the tree */
	uint32_t name_bytes;	/* of one name */
	uint32_t values;	/* of all snapshots together */
	uint32_t points;	/* of a curve */
};

struct page {
	/* Writes the members of the object but the first ones. Called again with a smaller budget
	 * when the page is too big. */
	void (*fill)(struct page_json *j, const void *data, const struct page_budget *budget);
	const void *data;
	const char *kind;	/* "recording", "massif", "dhat" or "dat" */
	const char *version;	/* of memusage */
	const char *file;	/* name of the input */
};

/* page_is_built -- whether this library carries the template (make HTML=no leaves it out). */
bool page_is_built(void);

/* page_write -- write the whole page.
 *
 * Errors of OUT stay with it. Returns 0, or -1 with ERR, and writes nothing, if no page was built.
 * Cost: two megabytes of memory besides what fill() takes.
 */
int page_write(FILE *out, const struct page *page, struct mu_error *err);

/* page_put_tree -- write the members "strings", "places", "tree" and "cut".
 *
 * bytes  that a name may have.
 */
void page_put_tree(struct page_json *j, const struct page_tree *t, const struct page_cut *c,
		   size_t bytes);

/* page_put_sites -- write the member "sites": the values of all nodes that have some. */
void page_put_sites(struct page_json *j, const struct page_cut *c, const struct page_sites *s);

/* Accesses that a page shows: blocks are few whose bytes are worth being looked at. */
enum { PAGE_COUNTS = 40000 };

/* page_put_counts -- write an element of the member "access": how often each byte was accessed.
 *
 * A run of equal counts is minus its length and the count, as in DHAT's own files.
 * left  numbers that the page may still have; a list that is too long is left out.
 */
void page_put_counts(struct page_json *j, uint32_t node, const uint16_t *count, uint32_t counts,
		     uint32_t *left);
