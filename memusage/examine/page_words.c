/* page_words.c -- The directory of the block table, copied while the process is stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/page_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	LEAVES = 512, /* of a region */
	LINES_MAX = 255,
	REGIONS_LOG2_MAX = 24,
	RECORDS = 8, /* most of a line */
	LINE = 64
};
#define SIZE_MASK ((UINT64_C(1) << 48) - 1)
#define PAGE UINT64_C(4096)

/* ---- the directory ---------------------------------------------------------------------- */

static void copy_leaf(struct page_words *w, const struct image *im, uint64_t key, uint64_t offset)
{
	/* Leaves of an honest image share no bytes. */
	if (w->count > image_bytes(im) / sizeof(w->leaf->word))
		return;
	array_reserve(&w->leaf, &w->room, w->count + UINT64_C(1), sizeof(*w->leaf));
	w->leaf[w->count].key = key;
	if (image_copy(im, offset, w->leaf[w->count].word, sizeof(w->leaf->word)))
		w->count++;
}

static void copy_region(struct page_words *w, const struct image *im, const struct mu_region *r)
{
	uint64_t leaf[LEAVES];

	if (!r->key || !r->leaves || !image_copy(im, r->leaves, leaf, sizeof(leaf)))
		return;
	for (uint64_t i = 0; i < LEAVES; i++) {
		if (leaf[i])
			copy_leaf(w, im, ((r->key - 1) << MU_REGION_SHIFT) + (i << MU_LEAF_SHIFT),
				  leaf[i]);
	}
}

static int compare_leaves(const void *a, const void *b)
{
	const struct page_leaf *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

void page_words_copy(struct page_words *w, const struct image *im, bool is_shared)
{
	struct mu_blocks blocks;
	unsigned int log2;

	*w = (struct page_words){ .is_shared = is_shared };
	if (!im->head.blocks_root || !image_copy(im, im->head.blocks_root, &blocks, sizeof(blocks)))
		return;
	w->is_bare = blocks.form == MU_BLOCKS_BARE;
	log2 = MU_REGIONS_LOG2(blocks.regions);
	for (uint64_t i = 0; log2 <= REGIONS_LOG2_MAX && i < UINT64_C(1) << log2; i++) {
		struct mu_region r;

		if (image_copy(im, MU_REGIONS_OFFSET(blocks.regions) + i * sizeof(r), &r,
			       sizeof(r)))
			copy_region(w, im, &r);
	}
	if (w->count > 0)
		qsort(w->leaf, w->count, sizeof(*w->leaf), compare_leaves);
}

void page_words_free(struct page_words *w)
{
	free(w->leaf);
	*w = (struct page_words){ .count = 0 };
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* The buckets of a leaf, one after the other. */
struct buckets {
	uint8_t byte[PAGE_WORDS * LINES_MAX * LINE];
	uint32_t page[PAGE_WORDS], lines[PAGE_WORDS];
	unsigned int count;
};

/* Names of the keys of announced blocks; docs/format.md, section 5. */
static struct heap_block block_of_key(uint64_t key)
{
	const bool is_announced = key & MU_KEY_SPACE;

	return (struct heap_block){
		.start = is_announced ? (key & ~MU_KEY_SPACE) >> MU_KEY_SHIFT : key,
		.is_announced = is_announced,
	};
}

static void add_full_line(struct block_set *blocks, uint64_t page, const struct mu_line *line)
{
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t granule = line->tag[i] >> 1 & 511;
		struct heap_block b = block_of_key(page + (granule << MU_GRANULE_SHIFT));

		b.size = line->size[i] & SIZE_MASK;
		b.site = line->site[i];
		b.birth = (uint32_t)(line->size[i] >> 48 << 22 | line->tag[i] >> 10) &
			  (uint32_t)MU_SLACK_TIME;
		if (line->tag[i] & 1)
			block_set_add(blocks, &b);
	}
}

static void add_bare_line(struct block_set *blocks, uint64_t page, const struct mu_bare_line *line)
{
	for (unsigned int i = 0; i < RECORDS; i++) {
		uint64_t granule = line->record[i] >> 1 & 511;
		struct heap_block b = block_of_key(page + (granule << MU_GRANULE_SHIFT));

		b.size = line->record[i] >> 16;
		if (line->record[i] & 1)
			block_set_add(blocks, &b);
	}
}

static void add_buckets(const struct page_words *w, const struct page_leaf *leaf,
			const struct buckets *b, struct block_set *blocks)
{
	const uint8_t *at = b->byte;

	for (unsigned int i = 0; i < b->count; i++) {
		const uint64_t page = leaf->key + b->page[i] * PAGE;

		for (uint32_t k = 0; k < b->lines[i]; k++, at += LINE) {
			struct mu_line line;
			struct mu_bare_line bare;

			memcpy(&line, at, LINE);
			memcpy(&bare, at, LINE);
			if (w->is_bare)
				add_bare_line(blocks, page, &bare);
			else
				add_full_line(blocks, page, &line);
		}
	}
}

static bool read_shared_buckets(const struct page_leaf *leaf, struct buckets *b,
				const struct image *im)
{
	uint8_t *at = b->byte;
	bool ok = true;

	for (unsigned int i = 0; i < b->count; i++) {
		uint64_t size = (uint64_t)b->lines[i] * LINE;

		memset(at, 0, size);
		ok &= image_copy(im, MU_PAGE_BUCKET(leaf->word[b->page[i]]), at, size);
		at += size;
	}
	return ok;
}

static bool read_private_buckets(const struct page_leaf *leaf, struct buckets *b,
				 const struct address_space *s)
{
	struct iovec remote[PAGE_WORDS], local = { .iov_base = b->byte };

	for (unsigned int i = 0; i < b->count; i++) {
		remote[i].iov_base = (void *)MU_PAGE_BUCKET(leaf->word[b->page[i]]);
		remote[i].iov_len = (size_t)b->lines[i] * LINE;
		local.iov_len += remote[i].iov_len;
	}
	memset(b->byte, 0, local.iov_len);
	return b->count == 0 || process_vm_readv(s->pid, &local, 1, remote, b->count, 0) ==
					(ssize_t)local.iov_len;
}

bool page_words_blocks(const struct page_words *w, const struct image *im,
		       const struct address_space *s, struct block_set *blocks)
{
	struct buckets *b = xmalloc(sizeof(*b));
	bool ok = true;

	*blocks = (struct block_set){ .count = 0 };
	for (uint32_t l = 0; l < w->count; l++) {
		const struct page_leaf *leaf = &w->leaf[l];

		b->count = 0;
		for (uint32_t p = 0; p < PAGE_WORDS; p++) {
			b->page[b->count] = p;
			b->lines[b->count] = MU_PAGE_LINES(leaf->word[p]);
			b->count += b->lines[b->count] > 0;
		}
		ok &= w->is_shared ? read_shared_buckets(leaf, b, im) :
				     read_private_buckets(leaf, b, s);
		add_buckets(w, leaf, b, blocks);
	}
	free(b);
	block_set_finish(blocks);
	return ok;
}
