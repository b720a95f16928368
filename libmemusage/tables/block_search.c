/* block_search.c -- searching the block table by range.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/block_search.h"

/* A search for the least or the greatest key of a range. */
struct block_query {
	uint64_t low, high; /* the range, both included */
	bool from_above;    /* find the greatest key, else the least */
	uint64_t found;	    /* valid if is_found */
	struct block block;
	bool is_found;
};

static void consider_record(struct block_query *s, uint64_t page, const void *line, unsigned int i)
{
	uint32_t tag = blocks_tag(line, i, rec.has_bare_blocks);
	uint64_t key = page + ((uint64_t)(tag >> 1 & 511) << MU_GRANULE_SHIFT);

	if (!(tag & 1) || key < s->low || key > s->high)
		return;
	if (s->is_found && (s->from_above ? key < s->found : key > s->found))
		return;
	s->found = key;
	s->is_found = true;
	blocks_read(line, i, &s->block, rec.has_bare_blocks);
}

static void search_one_page(struct block_query *s, uint64_t *word, uint64_t page, bool many)
{
	uint64_t value;

	if (!MU_PAGE_LINES(__atomic_load_n(word, __ATOMIC_RELAXED)) ||
	    !blocks_lock(word, &value, many))
		return;
	const struct mu_line *line = (const struct mu_line *)blocks_bucket(value);
	for (unsigned int l = 0; l < MU_PAGE_LINES(value); l++)
		for (unsigned int i = 0; i < (rec.has_bare_blocks ? 8 : 4); i++)
			consider_record(s, page, &line[l], i);
	blocks_unlock(word, value, many);
}

/* The gap that a thread's last downward search found: no page in [low, high) has a bucket, and the
 * one before has, or is out of reach. Valid while blocks_pages is `pages`. There is one for
 * malloc's blocks, and one for announced ones. */
struct page_gap {
	uint64_t low, high;
	uint32_t pages;
};

static __thread struct page_gap gaps[2];

/* The highest page with a bucket at or below `at`, 0 if there is none down to `low`. */
static uint64_t find_page_below(uint64_t at, uint64_t low, uint64_t **word)
{
	while (at >= low) {
		uint64_t size;
		uint64_t *leaf = blocks_leaf(at, &size);
		uint64_t first = at & -size;
		for (; leaf && at - first < size && at >= low; at = (at & -(uint64_t)MU_PAGE) - 1) {
			*word = &leaf[at >> 12 & 511];
			if (MU_PAGE_LINES(__atomic_load_n(*word, __ATOMIC_RELAXED)))
				return at & -(uint64_t)MU_PAGE;
		}
		if (!first)
			return 0;
		at = first - 1;
	}
	return 0;
}

/* find_page_below(), but skips the gap that the thread knows. */
static uint64_t find_next_page_down(uint64_t at, uint64_t low, uint64_t **word)
{
	struct page_gap *gap = &gaps[(at & MU_KEY_SPACE) != 0];
	uint32_t pages = __atomic_load_n(&blocks_pages, __ATOMIC_ACQUIRE);
	uint64_t high = (at & -(uint64_t)MU_PAGE) + MU_PAGE;
	bool is_known = gap->pages == pages && at >= gap->low && at < gap->high;

	if (is_known && gap->low <= low)
		return 0;
	uint64_t page = find_page_below(is_known ? gap->low - 1 : at, low, word);
	if (!is_known)
		*gap = (struct page_gap){ page ? page + MU_PAGE : low, high, pages };
	return page;
}

/* Searches the pages from that of `high` down to that of `low`. */
static void search_pages_down(struct block_query *s, bool many)
{
	uint64_t at = s->high;
	uint64_t *word, page;

	while (!s->is_found && (page = find_next_page_down(at, s->low, &word))) {
		search_one_page(s, word, page, many);
		at = page - 1;
	}
}

static void search_pages_up(struct block_query *s, bool many)
{
	uint64_t at = s->low;

	while (!s->is_found && at <= s->high) {
		uint64_t size;
		uint64_t *leaf = blocks_leaf(at, &size);
		uint64_t next = (at & -size) + size;
		for (; leaf && at < next && at <= s->high && !s->is_found;
		     at = (at & -(uint64_t)MU_PAGE) + MU_PAGE)
			search_one_page(s, &leaf[at >> 12 & 511], at & -(uint64_t)MU_PAGE, many);
		at = next;
	}
}

static uint64_t address_of_key(uint64_t space, uint64_t key)
{
	return space ? (key & ~MU_KEY_SPACE) >> MU_KEY_SHIFT : key;
}

bool block_search_peek(struct thread *thread, uint64_t key, uint64_t bits, struct block *block,
		       bool many)
{
	uint64_t *word = blocks_word(thread, key, false);
	const bool bare = rec.has_bare_blocks;
	uint64_t value;

	if (!word || !blocks_lock(word, &value, many))
		return false;
	struct blocks_spot spot = blocks_spot_of(value, key, bare);
	unsigned int i = value ? blocks_find_known(&spot, bare) : BLOCKS_NONE;
	if (i != BLOCKS_NONE) {
		blocks_read(spot.line, i, block, bare);
		blocks_set_birth(spot.line, i, bits, bare);
	}
	blocks_unlock(word, value, many);
	return i != BLOCKS_NONE;
}

bool block_search_find(uint64_t space, uint64_t address, uint64_t reach, uint64_t *start,
		       struct block *block, bool many)
{
	struct block_query s = { .low = block_search_key(space,
							 address > reach ? address - reach : 0),
				 .high = block_search_key(space, address),
				 .from_above = true };

	search_pages_down(&s, many);
	*start = address_of_key(space, s.found);
	*block = s.block;
	return s.is_found && address - *start < block->size;
}

bool block_search_next(uint64_t space, uint64_t *address, uint64_t end, bool many)
{
	struct block_query s = { .low = block_search_key(space, *address) };

	if (end <= *address)
		return false;
	s.high = block_search_key(space, end - 1);
	search_pages_up(&s, many);
	if (s.is_found)
		*address = address_of_key(space, s.found);
	return s.is_found;
}
