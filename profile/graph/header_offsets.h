/* header_offsets.h -- Constant offsets: blocks with a header of their library, which keeps pointers
 * behind it only.
 *
 * A library that hands out addresses behind a header of its own (reference counts, links, a size)
 * has only pointers to the middle of its blocks, always at the same offset. Where nearly all blocks
 * of a site have one there, that is no accident, and counts as a pointer to the start.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/graph/pointer_graph.h"

enum {
	HEADER_OFFSET_MOST = 64, /* bytes: offsets are below */
	HEADER_BLOCKS_LEAST = 8, /* of a site */
	HEADER_SHARE_PCT = 90	 /* of its possible blocks that have a pointer at that offset */
};

struct header_site {
	uint32_t site;
	uint64_t offsets; /* bit n: n bytes */
};

struct header_offsets {
	struct header_site *site; /* those that have an offset, ascending */
	uint32_t count;
};

/* header_offsets_find -- Finds the offsets of all sites.
 *
 * kind  enum leak_kind of each block: only possibly lost ones count, and pointers to them.
 * Cost O(blocks + pointers), and 8 bytes for each block meanwhile.
 */
void header_offsets_find(struct header_offsets *h, const struct pointer_graph *g,
			 const uint8_t *kind);

/* header_offsets_has -- Tells whether a pointer OFFSET bytes into a block of a site is behind its
 * header. Cost O(log sites). */
bool header_offsets_has(const struct header_offsets *h, uint32_t site, uint64_t offset);

/* header_offsets_free -- Releases everything. Accepts a zeroed struct. */
void header_offsets_free(struct header_offsets *h);
