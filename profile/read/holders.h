/* holders.h -- What held the live blocks of a process, in a recording.
 *
 * Source docs/format.md, section 16.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/image.h"
#include "recording/holders.h"

enum { HOLDERS_MAX = 256 }; /* moments of an image */

/* One moment. Everything in the tables is checked, but for the numbers of sites. */
struct holders {
	struct mu_holders *head; /* with all tables behind it */
	const struct mu_holder_root *root;
	const struct mu_holder_node *retained, *via;
	const struct mu_holder_type *type; /* ascending by site */
	const struct mu_holder_set *set;
	const struct mu_holder_link *link; /* most pointers first; sites are not checked */
	const char *text;
};

struct holder_moments {
	struct holders *at; /* in the order of time */
	uint32_t count;
};

/* holder_moments_read -- Copies all moments of an image, those for which there is memory. Damaged
 * ones are left out. Call holder_moments_free(). */
void holder_moments_read(struct holder_moments *m, const struct image *im);

/* holder_moments_free -- Releases everything. Accepts a zeroed struct. */
void holder_moments_free(struct holder_moments *m);

/* holders_text -- Returns the text at an offset; "" for 0. */
const char *holders_text(const struct holders *h, uint32_t offset);

/* holders_type -- Returns the name of the class of a site's blocks, as type_info has it, or "". */
const char *holders_type(const struct holders *h, uint32_t site);

/* holders_sum -- Adds up a tree.
 *
 * node   COUNT of them.
 * bytes, blocks  one per node, overwritten: those of the node and of all below it.
 */
void holders_sum(const struct mu_holder_node *node, uint32_t count, uint64_t *bytes,
		 uint64_t *blocks);
