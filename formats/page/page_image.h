/* page_image.h -- what a report page shows of one process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_subject.h"

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
