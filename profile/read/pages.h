/* pages.h -- What held the resident memory of a process, in a recording.
 *
 * Source docs/format.md, section 15.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/image.h"
#include "recording/pages.h"

/* Counts and places in tables are checked; site numbers are not. */
struct pages {
	struct mu_pages *head; /* with all tables behind it */
	const struct mu_page_site *site;
	const struct mu_page_group *group;
	const struct mu_page_use *use;
	const struct mu_heap_part *heap;
};

/* pages_load -- Copies what an image says.
 *
 * Returns false if nothing was examined, if that part is damaged, or without memory. Release P with
 * pages_free() in either case.
 */
bool pages_load(struct pages *p, const struct image *im);

/* pages_free -- Releases everything. Accepts a zeroed struct. */
void pages_free(struct pages *p);
