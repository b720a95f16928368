/* page_image.h -- what a report page shows of one process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page.h"
#include "formats/page/page_roots.h"
#include "formats/page/page_stacks.h"
#include "profile/read/process_list.h"
#include "profile/read/result.h"
#include "profile/read/site_errors.h"
#include "recording/recording.h"

/* Borrowed but for the private part. */
struct page_image {
	const struct export *export;
	const struct mu_segment *segment;	/* head of the recording */
	const struct result *result;
	uint32_t slot;				/* of the image */
	const struct process_list *processes;	/* of the recording; NULL: not written */
	/* private */
	struct page_stacks stacks;
	struct site_errors *errors;	/* of each site; NULL: nothing was sampled */
	struct page_roots roots;
};

/* page_image_init -- make the tree of all stacks.
 *
 * p  its first part is filled in; page_image_free() it.
 * sites_lifetimes() has been called. Cost about 50 ns per frame and level.
 */
void page_image_init(struct page_image *p);

/* page_image_sites -- the sites of the tree and their values, but for reads and writes.
 *
 * P must outlive the result.
 */
struct page_sites page_image_sites(const struct page_image *p);

/* page_image_fill -- write the members of the page; the fill of struct page. */
void page_image_fill(struct page_json *j, const void *page_image, const struct page_budget *b);

/* page_image_free -- release the private part. */
void page_image_free(struct page_image *p);
