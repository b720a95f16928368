/* page_words.h -- The directory of the block table, copied while the process is stopped.
 *
 * The directory is in shared memory, which a copy of the process does not have for itself; the
 * buckets that it leads to are private memory, so the copy has them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/address_space.h"
#include "profile/graph/block_set.h"
#include "profile/read/image.h"

enum { PAGE_WORDS = 512 };

/* The words of 2 MiB of keys (docs/format.md, section 5). */
struct page_leaf {
	uint64_t key; /* the lowest */
	uint64_t word[PAGE_WORDS];
};

struct page_words {
	struct page_leaf *leaf; /* ascending by key */
	uint32_t count, room;
	bool is_bare;	/* the records have no sites */
	bool is_shared; /* the buckets are in the image */
};

/* page_words_copy -- Copies the directory of an image. Cost 11 us for each leaf.
 *
 * is_shared  the buckets are in the image, as with MU_CFG_ACCESSES.
 */
void page_words_copy(struct page_words *w, const struct image *im, bool is_shared);

/* page_words_blocks -- Reads all blocks.
 *
 * im      with buckets in it, if there are.
 * blocks  filled, and finished.
 * Returns false if some could not be read. Cost 60 to 180 ns for each block.
 */
bool page_words_blocks(const struct page_words *w, const struct image *im,
		       const struct address_space *s, struct block_set *blocks);

/* page_words_free -- Releases everything. Accepts a zeroed struct. */
void page_words_free(struct page_words *w);
