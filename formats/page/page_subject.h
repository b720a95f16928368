/* page_subject.h -- The process that a report page shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page.h"
#include "formats/page/page_merge.h"
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
	const struct page_merge *merge;	/* what the recording was made of; NULL: of itself */
	/* private */
	struct page_stacks stacks;
	struct site_errors *errors;	/* of each site; NULL: nothing was sampled */
	struct page_roots roots;
};
