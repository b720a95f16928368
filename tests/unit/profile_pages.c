/* profile_pages.c -- what keeps pages resident: small heaps whose figures are known, and random
 * ones against a count that looks at every byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/pages/page_census.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { BASE = 0x100000, PAGE = 4096, SMALL = 64, PAGES = 40, SITES = 6, HEAPS = 500 };

static struct block_set set;
static struct page_census census;

static void add_block(uint64_t start, uint64_t size, uint32_t site)
{
	const struct heap_block b = { .start = start, .size = size, .site = site };

	block_set_add(&set, &b);
}

static void take_one(enum mu_heap_kind kind, uint8_t *state, uint64_t pages, uint32_t page_bytes)
{
	const struct page_range range = { .start = BASE, .end = BASE + pages * page_bytes,
					  .state = state, .kind = kind };

	block_set_finish(&set);
	page_census_take(&census, &set, &range, 1, page_bytes);
}

static void free_all(void)
{
	page_census_free(&census);
	block_set_free(&set);
}

/* Returns the group of exactly these sites; SECOND is UINT32_MAX if there is one. */
static const struct mu_page_group *find_group(uint32_t first, uint32_t second)
{
	static const struct mu_page_group none;
	const struct page_groups *g = &census.groups;

	for (uint32_t i = 0; i < g->count; i++) {
		const struct mu_page_use *use = g->use + g->group[i].first;

		if (use[0].site == first &&
		    (second == UINT32_MAX ? g->group[i].count == 1 :
		     g->group[i].count == 2 && use[1].site == second))
			return &g->group[i];
	}
	return &none;
}

/* ---- known heaps ---------------------------------------------------------------------------- */

static void test_parts(void)
{
	uint8_t state[6] = { 1, 1, 1, 0, 2, 1 };

	add_block(BASE + 16, 1000, 1);		/* alone in page 0 */
	add_block(BASE + PAGE, 100, 1);		/* with site 2 in page 1 */
	add_block(BASE + PAGE + 112, 500, 2);
	add_block(BASE + 3 * PAGE - 96, 196, 2); /* from page 2 to page 3, which was never touched */
	add_block(BASE + 4 * PAGE, 4096, 3);	/* swapped out */
	take_one(MU_HEAP_MAIN, state, 6, PAGE);
	EQ_U(census.head.part[MU_PAGES_LIVE], 1000 + 600 + 96);
	EQ_U(census.head.part[MU_PAGES_SLACK], 3 * PAGE - 1696);
	EQ_U(census.head.part[MU_PAGES_FREE], PAGE);
	EQ_U(census.head.swapped, PAGE);
	EQ_U(census.sites, 3);
	EQ_U(census.site[0].resident, 1100);
	EQ_U(census.site[1].resident, 596);
	EQ_U(census.site[1].untouched, 100);
	EQ_U(census.site[2].swapped, 4096);
	EQ_U(find_group(1, UINT32_MAX)->slack, PAGE - 1000);
	EQ_U(find_group(1, 2)->slack, PAGE - 600);
	EQ_U(find_group(1, 2)->sparse, 0);
	EQ_U(find_group(2, UINT32_MAX)->sparse, 1);
	EQ_U(census.head.fill[0], 1);
	EQ_U(census.head.fill[1], 2);
	free_all();
}

/* The last three blocks are of one site, and above them are two free pages. */
static void test_top(void)
{
	uint8_t state[10] = { 1, 1, 1, 1, 0, 1, 1, 1, 1, 0 };

	add_block(BASE + 16, 100, 1);
	add_block(BASE + 2 * PAGE, 16, 2);
	add_block(BASE + 5 * PAGE, 16, 2);
	add_block(BASE + 6 * PAGE, 0, 2);
	take_one(MU_HEAP_MAIN, state, 10, PAGE);
	EQ_U(census.heaps, 1);
	EQ_U(census.heap[0].top, BASE + 6 * PAGE);
	EQ_U(census.heap[0].top_site, 2);
	EQ_U(census.heap[0].top_blocks, 3);
	/* A block of no bytes holds its page, but its end is its beginning. */
	EQ_U(census.heap[0].above, 3 * PAGE);
	EQ_U(census.heap[0].held, 4 * PAGE);
	EQ_U(census.head.part[MU_PAGES_FREE], 4 * PAGE);
	free_all();
	take_one(MU_HEAP_ARENA, state, 10, PAGE);
	EQ_U(census.heap[0].top, 0);
	EQ_U(census.heap[0].above, 8 * PAGE);
	EQ_U(census.head.part[MU_PAGES_FREE], 8 * PAGE);
	free_all();
}

static void test_huge_and_nodes(void)
{
	uint8_t state[3] = { PAGE_RESIDENT | PAGE_HUGE, PAGE_RESIDENT | 1 << PAGE_NODE_SHIFT,
			     PAGE_RESIDENT | 9 << PAGE_NODE_SHIFT };

	add_block(BASE, 3 * PAGE, 7);
	take_one(MU_HEAP_MAPPED, state, 3, PAGE);
	EQ_U(census.site[0].huge, PAGE);
	EQ_U(census.site[0].node[0], PAGE);
	EQ_U(census.site[0].node[1], PAGE);
	EQ_U(census.site[0].node[MU_PAGES_NODES_MAX - 1], PAGE);
	EQ_U(census.heap[0].start, 0);
	EQ_U(census.heap[0].top, 0);
	free_all();
}

static void test_packed(void)
{
	uint8_t state[2] = { 1, 1 };
	struct mu_pages *packed;
	const struct mu_page_site *site;

	add_block(BASE, 32, 4);
	add_block(BASE + 32, 32, 9);
	take_one(MU_HEAP_MAIN, state, 2, PAGE);
	packed = page_census_pack(&census);
	site = (const struct mu_page_site *)(packed + 1);
	EQ_U(packed->bytes, sizeof(*packed) + 2 * sizeof(*site) + sizeof(struct mu_page_group) +
				    2 * sizeof(struct mu_page_use) + sizeof(struct mu_heap_part));
	EQ_U(packed->sites, 2);
	EQ_U(site[1].site, 9);
	EQ_U(((const struct mu_page_group *)(site + 2))->count, 2);
	free(packed);
	free_all();
}

/* 30 pages with two sites each: only those with most slack stay apart. */
static void test_limit(void)
{
	struct page_groups g = { .count = 0 };
	uint64_t slack = 0, bytes = 0;

	for (uint32_t i = 0; i < 30; i++) {
		const struct mu_page_use use[2] = { { .site = i, .bytes = 10 },
						    { .site = 100, .bytes = 1 } };

		page_groups_add(&g, use, 2, i, false);
	}
	page_groups_add(&g, &(const struct mu_page_use){ .site = 5, .bytes = 3 }, 1, 0, true);
	IS_FALSE(page_groups_limit(&g, 61));
	EQ_U(g.count, 31);
	IS_TRUE(page_groups_limit(&g, 20));
	EQ_U(g.count, 1 + 4 + 1);
	EQ_U(g.group[0].count, 1);
	EQ_U(g.group[1].slack, 29);
	EQ_U(g.group[5].pages, 26);
	EQ_U(g.group[5].count, 27);
	for (uint32_t i = 0; i < g.count; i++)
		slack += g.group[i].slack;
	for (uint32_t i = 0; i < g.uses; i++)
		bytes += g.use[i].bytes;
	EQ_U(slack, 29 * 30 / 2);
	EQ_U(bytes, 30 * 11 + 3);
	page_groups_free(&g);
}

/* ---- random heaps --------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252;

static uint32_t draw(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % below;
}

/* For each byte, the site that has it + 1; and the sites that hold a page. */
static struct {
	uint8_t owner[PAGES * SMALL];
	bool holds[PAGES][SITES];
	uint8_t state[PAGES];
} model;

static void fill_model(void)
{
	uint32_t at = draw(2 * SMALL);

	memset(&model, 0, sizeof(model));
	while (at < PAGES * SMALL - 3 * SMALL) {
		uint32_t size = draw(4) ? draw(SMALL / 2) : draw(3 * SMALL), site = draw(SITES);

		add_block(BASE + at, size, site);
		memset(model.owner + at, (int)site + 1, size);
		model.holds[at / SMALL][site] = true;
		for (uint32_t k = at; k < at + size; k++)
			model.holds[k / SMALL][site] = true;
		at += size + 1 + (draw(3) ? 0 : draw(3 * SMALL));
	}
	for (uint32_t i = 0; i < PAGES; i++)
		model.state[i] = (uint8_t)draw(3);
}

static uint64_t count_model(uint32_t page, uint32_t site)
{
	uint64_t bytes = 0;

	for (uint32_t k = page * SMALL; k < (page + 1) * SMALL; k++)
		bytes += model.owner[k] == site + 1;
	return bytes;
}

/* The sums of the model: parts by page state, and what each site alone holds. */
struct sums {
	uint64_t live, slack, free, site[SITES][3], alone[SITES];
};

static void add_up_model(struct sums *s)
{
	memset(s, 0, sizeof(*s));
	for (uint32_t p = 0; p < PAGES; p++) {
		uint64_t live = 0;
		uint32_t holders = 0, last = 0;

		for (uint32_t i = 0; i < SITES; i++) {
			uint64_t bytes = count_model(p, i);

			live += bytes;
			s->site[i][model.state[p]] += bytes;
			holders += model.holds[p][i];
			last = model.holds[p][i] ? i : last;
		}
		if (model.state[p] != PAGE_RESIDENT)
			continue;
		s->live += live;
		s->slack += holders ? SMALL - live : 0;
		s->free += holders ? 0 : SMALL;
		s->alone[last] += holders == 1 ? SMALL - live : 0;
	}
}

static bool sites_are_equal(const struct sums *s)
{
	for (uint32_t i = 0; i < census.sites; i++) {
		const struct mu_page_site *site = &census.site[i];

		if (site->untouched != s->site[site->site][0] ||
		    site->resident != s->site[site->site][1] ||
		    site->swapped != s->site[site->site][2] ||
		    find_group(site->site, UINT32_MAX)->slack != s->alone[site->site])
			return false;
	}
	return true;
}

static bool groups_add_up(const struct sums *s)
{
	uint64_t slack = 0, live = 0, fill = 0, pages = 0;

	for (uint32_t i = 0; i < census.groups.count; i++) {
		slack += census.groups.group[i].slack;
		pages += census.groups.group[i].pages;
	}
	for (uint32_t i = 0; i < census.groups.uses; i++)
		live += census.groups.use[i].bytes;
	for (uint32_t i = 0; i < MU_PAGES_FILLS; i++)
		fill += census.head.fill[i];
	return slack == s->slack && live == s->live && fill == pages &&
	       live + slack == pages * SMALL;
}

static void test_random_heaps(void)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < HEAPS; i++) {
		struct sums s;

		fill_model();
		take_one(MU_HEAP_MAIN, model.state, PAGES, SMALL);
		add_up_model(&s);
		wrong += census.head.part[MU_PAGES_LIVE] != s.live ||
			 census.head.part[MU_PAGES_SLACK] != s.slack ||
			 census.head.part[MU_PAGES_FREE] != s.free || !sites_are_equal(&s) ||
			 !groups_add_up(&s);
		free_all();
	}
	EQ_U(wrong, 0);
}

int main(void)
{
	test_parts();
	test_top();
	test_huge_and_nodes();
	test_packed();
	test_limit();
	test_random_heaps();
	return done_testing();
}
