/* unwound.h -- how many call stacks of an image do not tell the whole story.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/read/image.h"

/* Stacks of one kind, and the blocks that were ever allocated by them. */
struct unwound_count {
	uint64_t stacks;
	uint64_t blocks;
};

struct unwound {
	struct unwound_count all;
	struct unwound_count truncated;	/* the caller of the outermost frame could not be found */
	struct unwound_count cut;	/* deeper than what is kept of a stack: 1024 frames */
	struct unwound_count guessed;	/* whole, but some frame's code has no unwind tables: its
					 * caller was found by the frame pointer */
};

/* unwound_take -- count the stacks of sites of an image, by their flags.
 *
 * u   overwritten; all zero if stacks were not recorded.
 * im  of a live or dead process, damaged or not.
 * Cost O(sites), and O(cells) if any stack is of a kind other than `all`.
 * Source docs/format.md, section 4.
 */
void unwound_take(struct unwound *u, const struct image *im);
