/* page_census.c -- Which live blocks keep which pages of the heap resident.
 *
 * Blocks and pages are both in the order of addresses, so one pass meets each page with its blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/pages/page_census.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	USES_MOST = 1 << 20, /* 16 MiB of a recording */
	SPARSE = 10	     /* a page is sparse if less than one part in so many is live */
};

/* The pass. */
struct walk {
	struct page_census *c;
	const struct block_set *blocks;
	uint32_t next;	    /* the first block that may reach into the page */
	uint64_t counted;   /* the end of all bytes that have been counted */
	uint32_t *number;   /* of a site: its index in c->site + 1 */
	struct mu_page_use *use; /* of the page */
	uint32_t uses, use_room;
};

/* ---- sites ---------------------------------------------------------------------------------- */

static uint32_t count_site_numbers(const struct block_set *blocks)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < blocks->count; i++) {
		if (blocks->block[i].site >= most)
			most = blocks->block[i].site + 1;
	}
	return most;
}

/* Makes an entry for each site that has a live block. */
static void list_sites(struct page_census *c, const struct block_set *blocks, uint32_t *number,
		       uint32_t numbers)
{
	for (uint32_t i = 0; i < blocks->count; i++)
		number[blocks->block[i].site] = 1;
	for (uint32_t i = 0; i < numbers; i++) {
		if (number[i])
			number[i] = ++c->sites;
	}
	c->site = xcalloc((size_t)c->sites + 1, sizeof(*c->site));
	for (uint32_t i = 0; i < numbers; i++) {
		if (number[i])
			c->site[number[i] - 1].site = i;
	}
	for (uint32_t i = 0; i < blocks->count; i++)
		c->site[number[blocks->block[i].site] - 1].blocks++;
}

static struct mu_page_site *find_site(struct walk *w, uint32_t site)
{
	return &w->c->site[w->number[site] - 1];
}

static void count_live_bytes(struct mu_page_site *s, unsigned int state, uint64_t bytes)
{
	unsigned int node = state >> PAGE_NODE_SHIFT;

	if (state & PAGE_SWAPPED)
		s->swapped += bytes;
	if (!(state & PAGE_RESIDENT))
		return;
	s->resident += bytes;
	if (state & PAGE_HUGE)
		s->huge += bytes;
	s->node[node < MU_PAGES_NODES_MAX ? node : MU_PAGES_NODES_MAX - 1] += bytes;
}

/* ---- the blocks of a page ------------------------------------------------------------------- */

/* Most blocks have the site of the one before. */
static void add_use(struct walk *w, uint32_t site, uint64_t bytes)
{
	uint32_t at = w->uses;

	while (at > 0 && w->use[at - 1].site > site)
		at--;
	if (at > 0 && w->use[at - 1].site == site) {
		w->use[at - 1].bytes += bytes;
		return;
	}
	array_reserve(&w->use, &w->use_room, w->uses + UINT64_C(1), sizeof(*w->use));
	memmove(&w->use[at + 1], &w->use[at], (w->uses - at) * sizeof(*w->use));
	w->use[at] = (struct mu_page_use){ .site = site, .bytes = bytes };
	w->uses++;
}

static uint64_t end_of_block(const struct heap_block *b)
{
	uint64_t end;

	return __builtin_add_overflow(b->start, b->size, &end) ? UINT64_MAX : end;
}

/* A block of no bytes holds the page of its address all the same. */
static bool ends_before(const struct heap_block *b, uint64_t address)
{
	return b->size == 0 ? b->start < address : end_of_block(b) <= address;
}

/* Collects the sites of the blocks of a page in w->use. Returns how many bytes of it are live. */
static uint64_t collect_uses(struct walk *w, uint64_t start, uint64_t end)
{
	const struct heap_block *block = w->blocks->block;
	uint64_t live = 0;

	w->uses = 0;
	while (w->next < w->blocks->count && ends_before(&block[w->next], start))
		w->next++;
	if (w->counted < start)
		w->counted = start;
	for (uint32_t i = w->next; i < w->blocks->count && block[i].start < end; i++) {
		uint64_t from = block[i].start > w->counted ? block[i].start : w->counted;
		uint64_t to = end_of_block(&block[i]);

		if (to > end)
			to = end;
		if (to > from) {
			live += to - from;
			w->counted = to;
		}
		add_use(w, block[i].site, to > from ? to - from : 0);
	}
	return live;
}

/* ---- a page --------------------------------------------------------------------------------- */

static unsigned int choose_fill(uint64_t live, uint64_t page_bytes)
{
	static const unsigned int below[MU_PAGES_FILLS - 1] = { 10, 25, 50, 90 };
	unsigned int i = 0;

	while (i < MU_PAGES_FILLS - 1 && live * 100 >= below[i] * page_bytes)
		i++;
	return i;
}

static void count_resident_page(struct walk *w, struct mu_heap_part *heap, uint64_t live)
{
	struct mu_pages *head = &w->c->head;
	const uint64_t page = head->page_bytes;

	if (w->uses == 0) {
		heap->part[MU_PAGES_FREE] += page;
		return;
	}
	heap->part[MU_PAGES_LIVE] += live;
	heap->part[MU_PAGES_SLACK] += page - live;
	head->fill[choose_fill(live, page)]++;
	page_groups_add(&w->c->groups, w->use, w->uses, page - live, live * SPARSE < page);
}

static void count_page(struct walk *w, struct mu_heap_part *heap, uint64_t start,
		       unsigned int state)
{
	uint64_t live;

	if (!(state & (PAGE_RESIDENT | PAGE_SWAPPED)))
		return;
	live = collect_uses(w, start, start + w->c->head.page_bytes);
	for (uint32_t i = 0; i < w->uses; i++)
		count_live_bytes(find_site(w, w->use[i].site), state, w->use[i].bytes);
	if (state & PAGE_RESIDENT)
		count_resident_page(w, heap, live);
	else
		heap->swapped += w->c->head.page_bytes;
}

/* ---- the top of a heap ---------------------------------------------------------------------- */

static uint64_t count_resident(const struct page_range *r, uint64_t from, uint64_t page_bytes)
{
	uint64_t i = (from + page_bytes - 1 - r->start) / page_bytes, bytes = 0;

	for (; i < (r->end - r->start) / page_bytes; i++)
		bytes += r->state[i] & PAGE_RESIDENT ? page_bytes : 0;
	return bytes;
}

/* Returns the number of the first block that does not begin before an address. */
static uint32_t first_block_from(const struct block_set *b, uint64_t address)
{
	return (uint32_t)array_first_from(b->block, b->count, sizeof(*b->block),
					  offsetof(struct heap_block, start), address);
}

/* Such a heap shrinks from its end only, so its last block holds all that is before it. */
static void find_top(struct mu_heap_part *heap, const struct page_range *r,
		     const struct block_set *blocks, uint64_t page_bytes)
{
	const struct heap_block *block = blocks->block;
	uint32_t first = first_block_from(blocks, r->start);
	uint32_t end = first_block_from(blocks, r->end), below;
	uint64_t above, without;

	if (first == end) {
		heap->above = count_resident(r, r->start, page_bytes);
		return;
	}
	for (below = end - 1; below > first && block[below - 1].site == block[end - 1].site; )
		below--;
	heap->top = block[end - 1].start;
	heap->top_size = block[end - 1].size;
	heap->top_site = block[end - 1].site;
	heap->top_blocks = end - below;
	above = end_of_block(&block[end - 1]);
	above = above > r->end ? r->end : above;
	without = below > first ? end_of_block(&block[below - 1]) : r->start;
	without = without > above ? above : without;
	heap->above = count_resident(r, above, page_bytes);
	heap->held = count_resident(r, without, page_bytes) - heap->above;
}

/* ---- all together --------------------------------------------------------------------------- */

/* Mappings of one kind share an entry; a heap that has a top has its own. */
static struct mu_heap_part *find_heap(struct page_census *c, const struct page_range *r)
{
	const bool is_shared = r->kind == MU_HEAP_MAPPED || r->kind == MU_HEAP_OTHER;

	for (uint32_t i = 0; is_shared && i < c->heaps; i++) {
		if (c->heap[i].kind == (uint32_t)r->kind)
			return &c->heap[i];
	}
	c->heap[c->heaps] = (struct mu_heap_part){ .kind = (uint32_t)r->kind };
	if (!is_shared) {
		c->heap[c->heaps].start = r->start;
		c->heap[c->heaps].end = r->end;
	}
	return &c->heap[c->heaps++];
}

static void count_range(struct walk *w, const struct page_range *r)
{
	const uint64_t page = w->c->head.page_bytes;
	struct mu_heap_part *heap = find_heap(w->c, r);

	for (uint64_t i = 0; i < (r->end - r->start) / page; i++)
		count_page(w, heap, r->start + i * page, r->state[i]);
	if (r->kind == MU_HEAP_MAIN || r->kind == MU_HEAP_ARENA)
		find_top(heap, r, w->blocks, page);
}

/* A page that is neither resident nor swapped was never touched. Blocks that share bytes have no
 * more of them than they have together. */
static void count_untouched(struct walk *w)
{
	uint64_t counted = 0;

	for (uint32_t i = 0; i < w->blocks->count; i++) {
		const struct heap_block *b = &w->blocks->block[i];
		uint64_t from = b->start > counted ? b->start : counted, to = end_of_block(b);

		if (to <= from)
			continue;
		find_site(w, b->site)->untouched += to - from;
		counted = to;
	}
	for (uint32_t i = 0; i < w->c->sites; i++)
		w->c->site[i].untouched -= w->c->site[i].resident + w->c->site[i].swapped;
}

static void add_up_heaps(struct page_census *c)
{
	for (uint32_t i = 0; i < c->heaps; i++) {
		for (unsigned int k = MU_PAGES_LIVE; k <= MU_PAGES_FREE; k++)
			c->head.part[k] += c->heap[i].part[k];
		c->head.swapped += c->heap[i].swapped;
	}
	if (page_groups_limit(&c->groups, USES_MOST))
		c->head.flags |= MU_PAGES_MERGED;
}

void page_census_take(struct page_census *c, const struct block_set *blocks,
		      const struct page_range *range, uint32_t count, uint32_t page_bytes)
{
	struct walk w = { .c = c, .blocks = blocks };
	const uint32_t numbers = count_site_numbers(blocks);

	*c = (struct page_census){ .head = { .page_bytes = page_bytes } };
	w.number = xcalloc((size_t)numbers + 1, sizeof(*w.number));
	list_sites(c, blocks, w.number, numbers);
	c->heap = xcalloc((size_t)count + 1, sizeof(*c->heap));
	for (uint32_t i = 0; i < count; i++)
		count_range(&w, &range[i]);
	count_untouched(&w);
	add_up_heaps(c);
	free(w.number);
	free(w.use);
}

/* ---- as it is kept -------------------------------------------------------------------------- */

uint64_t page_census_bytes(const struct page_census *c)
{
	const struct page_groups *g = &c->groups;

	return sizeof(c->head) + c->sites * sizeof(*c->site) + g->count * sizeof(*g->group) +
	       g->uses * sizeof(*g->use) + c->heaps * sizeof(*c->heap);
}

static uint8_t *append_table(uint8_t *to, const void *table, uint32_t count, size_t size)
{
	if (count > 0)
		memcpy(to, table, count * size);
	return to + count * size;
}

struct mu_pages *page_census_pack(struct page_census *c)
{
	struct mu_pages *packed = xcalloc(1, page_census_bytes(c));
	uint8_t *to = (uint8_t *)(packed + 1);

	c->head.bytes = page_census_bytes(c);
	c->head.sites = c->sites;
	c->head.groups = c->groups.count;
	c->head.uses = c->groups.uses;
	c->head.heaps = c->heaps;
	*packed = c->head;
	to = append_table(to, c->site, c->sites, sizeof(*c->site));
	to = append_table(to, c->groups.group, c->groups.count, sizeof(*c->groups.group));
	to = append_table(to, c->groups.use, c->groups.uses, sizeof(*c->groups.use));
	append_table(to, c->heap, c->heaps, sizeof(*c->heap));
	return packed;
}

void page_census_free(struct page_census *c)
{
	free(c->site);
	free(c->heap);
	page_groups_free(&c->groups);
	*c = (struct page_census){ .sites = 0 };
}
