/* blocks.c -- the live blocks of an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/blocks.h"

#include <stdlib.h>
#include <string.h>

enum {
	BRANCH = 512,		/* leaves of a region, pages of a leaf */
	LINES_MAX = 128,
	TAGS = 4,		/* of a line */
	RECORDS = 8,		/* of a bare line */
	REGIONS_LOG2_MAX = 24,
	PAGE_BLOCKS_MAX = BRANCH
};

struct walk {
	const struct image *im;
	blocks_fn visit;
	void *data;
	uint64_t count;
	uint64_t left;		/* bytes that may still be looked at: tables can be circular */
	bool is_over;
	bool is_bare;		/* struct mu_bare_line */
	struct mu_block block[PAGE_BLOCKS_MAX];
};

static int by_address(const void *a, const void *b)
{
	const struct mu_block *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Of a block that the program announced: its address is in its key. */
static void take_key(struct mu_block *block)
{
	uint64_t space = block->address & MU_KEY_SPACE;

	if (!space)
		return;
	block->address = (block->address & ~MU_KEY_SPACE) >> MU_KEY_SHIFT;
	block->flags = MU_SITE_REQUEST | (space == MU_KEY_NESTED ? MU_SITE_NESTED : 0);
}

static unsigned int take_line(struct walk *w, uint64_t page, const struct mu_line *from,
			      unsigned int count)
{
	struct mu_line line = *from;

	for (int i = 0; i < TAGS && count < PAGE_BLOCKS_MAX; i++) {
		uint64_t birth = (uint64_t)(line.tag[i] >> 10) | (line.size[i] >> 48) << 22;

		if (!(line.tag[i] & 1))
			continue;
		w->block[count] = (struct mu_block){
			.address = page + ((uint64_t)(line.tag[i] >> 1 & 511) << MU_GRANULE_SHIFT),
			.size = line.size[i] & ((UINT64_C(1) << 48) - 1),
			.birth = birth & MU_BIRTH_TIME,
			.site = line.site[i],
		};
		take_key(&w->block[count++]);
	}
	return count;
}

static unsigned int take_bare_line(struct walk *w, uint64_t page, const struct mu_bare_line *from,
				   unsigned int count)
{
	struct mu_bare_line line = *from;

	for (int i = 0; i < RECORDS && count < PAGE_BLOCKS_MAX; i++) {
		if (!(line.record[i] & 1))
			continue;
		w->block[count] = (struct mu_block){
			.address = page + ((line.record[i] >> 1 & 511) << MU_GRANULE_SHIFT),
			.size = line.record[i] >> 16,
		};
		take_key(&w->block[count++]);
	}
	return count;
}

/* An image cannot hold more than its size: whoever asks for more goes round in circles. */
static bool spend(struct walk *w, uint64_t bytes)
{
	if (w->is_over || bytes > w->left)
		w->is_over = true;
	else
		w->left -= bytes;
	return !w->is_over;
}

static void walk_page(struct walk *w, uint64_t page, uint64_t word)
{
	unsigned int lines = MU_PAGE_LINES(word), count = 0;
	const struct mu_line *line;

	if (lines > LINES_MAX || !spend(w, lines * sizeof(*line)))
		return;
	line = image_at(w->im, MU_PAGE_BUCKET(word), lines * sizeof(*line));
	for (unsigned int i = 0; line && i < lines; i++)
		count = w->is_bare ? take_bare_line(w, page, (const void *)&line[i], count)
				   : take_line(w, page, &line[i], count);
	qsort(w->block, count, sizeof(w->block[0]), by_address);
	for (unsigned int i = 0; i < count && !w->is_over; i++) {
		w->is_over = !w->visit(&w->block[i], w->data);
		w->count++;
	}
}

/* 512 words at OFFSET, or NULL. */
static const uint64_t *branch(const struct image *im, uint64_t offset)
{
	return offset % 8 ? NULL : image_at(im, offset, BRANCH * sizeof(uint64_t));
}

static void walk_leaf(struct walk *w, uint64_t address, const uint64_t *words)
{
	if (!words || !spend(w, BRANCH * sizeof(*words)))
		return;
	for (uint64_t i = 0; i < BRANCH && !w->is_over; i++) {
		uint64_t word = words[i];

		if (MU_PAGE_LINES(word) > 0)
			walk_page(w, address + i * MU_PAGE, word);
	}
}

static void walk_region(struct walk *w, const struct mu_region *region)
{
	uint64_t address = (region->key - 1) << MU_REGION_SHIFT;
	const uint64_t *leaves = branch(w->im, region->leaves);

	if (!leaves || !spend(w, BRANCH * sizeof(*leaves)))
		return;
	for (uint64_t i = 0; i < BRANCH && !w->is_over; i++)
		walk_leaf(w, address + (i << MU_LEAF_SHIFT), branch(w->im, leaves[i]));
}

static int by_key(const void *a, const void *b)
{
	const struct mu_region *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static const struct mu_blocks *root_of(const struct image *im)
{
	if (im->head.blocks_root % 8)
		return NULL;
	return image_at(im, im->head.blocks_root, sizeof(struct mu_blocks));
}

/* A copy of the used regions, sorted, so that blocks come by address. */
static struct mu_region *sorted_regions(const struct image *im, const struct mu_blocks *root,
					size_t *count)
{
	uint64_t place = root ? root->regions : 0;
	size_t size = (size_t)1 << MU_REGIONS_LOG2(place);
	const struct mu_region *from;
	struct mu_region *regions;

	*count = 0;
	if (!root || MU_REGIONS_LOG2(place) > REGIONS_LOG2_MAX)
		return NULL;
	from = image_at(im, MU_REGIONS_OFFSET(place), size * sizeof(*from));
	regions = from ? malloc(size * sizeof(*regions)) : NULL;
	for (size_t i = 0; regions && i < size; i++) {
		regions[*count] = from[i];
		*count += regions[*count].key != 0;
	}
	if (regions)
		qsort(regions, *count, sizeof(*regions), by_key);
	return regions;
}

static uint64_t walk_table(const struct image *im, blocks_fn visit, void *data)
{
	uint64_t count = image_count(im, MU_SEC_BLOCKS);

	for (uint64_t i = 0; i < count; i++) {
		const struct mu_block *block = image_entry(im, MU_SEC_BLOCKS, i, sizeof(*block));
		struct mu_block copy;

		if (!block)
			return i;
		copy = *block;
		if (!visit(&copy, data))
			return i + 1;
	}
	return count;
}

uint64_t blocks_walk(const struct image *im, blocks_fn visit, void *data)
{
	const struct mu_blocks *root = root_of(im);
	struct mu_region *regions;
	struct walk *w;
	uint64_t result;
	size_t count;

	if (!(im->head.features & MU_FEATURE(MU_SEC_BLOCKS)))
		return 0;
	if (im->head.table[MU_SEC_BLOCKS].entry_size != 0)
		return walk_table(im, visit, data);
	regions = sorted_regions(im, root, &count);
	w = regions ? calloc(1, sizeof(*w)) : NULL;
	if (!w) {
		free(regions);
		return 0;
	}
	*w = (struct walk){ .im = im, .visit = visit, .data = data,
			    .left = im->size, .is_bare = root->form == MU_BLOCKS_BARE };
	for (size_t i = 0; i < count && !w->is_over; i++)
		walk_region(w, &regions[i]);
	result = w->count;
	free(regions);
	free(w);
	return result;
}
