/* profile_page_places.c -- pages of sites that are one place: what the place pins, its share of the
 * slack, and with which other places it shares pages; and tables that lie.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/page_places.h"

#include <stdlib.h>
#include <string.h>

#include "profile/pages/page_census.h"
#include "tests/lib/tap.h"

enum { BASE = 0x200000, PAGE = 4096, PAGES = 5 };

static struct mu_pages *packed;
static struct image image;

/* Sites 1 and 2 are place 0, site 3 is place 1, site 9 belongs to none. */
static const uint32_t place_of_site[4] = { 7, 0, 0, 1 };

static void pack_example(void)
{
	uint8_t state[PAGES] = { 1, 1, 1, 1, 1 };
	const struct page_range range = { .start = BASE, .end = BASE + PAGES * PAGE,
					  .state = state, .kind = MU_HEAP_MAIN };
	const struct heap_block block[] = {
		{ .start = BASE, .size = 96, .site = 1 },	/* page 0: sites 1 and 2 */
		{ .start = BASE + 100, .size = 100, .site = 2 },
		{ .start = BASE + PAGE, .size = 300, .site = 2 }, /* page 1: sites 2 and 3 */
		{ .start = BASE + PAGE + 400, .size = 100, .site = 3 },
		{ .start = BASE + 2 * PAGE, .size = 0, .site = 1 }, /* page 2: no bytes */
		{ .start = BASE + 2 * PAGE + 32, .size = 0, .site = 3 },
		{ .start = BASE + 3 * PAGE, .size = 4000, .site = 9 },
	};
	struct block_set set = { .count = 0 };
	struct page_census c;

	for (size_t i = 0; i < sizeof(block) / sizeof(*block); i++)
		block_set_add(&set, &block[i]);
	block_set_finish(&set);
	page_census_take(&c, &set, &range, 1, PAGE);
	packed = page_census_pack(&c);
	page_census_free(&c);
	block_set_free(&set);
	image.pages = packed;
}

static void test_places(void)
{
	struct page_places l;
	struct pages p;
	uint64_t share = 0;

	IS_TRUE(pages_load(&p, &image));
	page_places_build(&l, &p, place_of_site, 4, 2);
	EQ_U(l.count, 3);
	EQ_U(l.place[0].place, 0);
	EQ_U(l.place[0].blocks, 4);
	EQ_U(l.place[0].resident, 496);
	EQ_U(l.place[0].pages, 3);
	EQ_U(l.place[0].alone, 1);
	EQ_U(l.place[0].sparse, 1);
	EQ_U(l.place[0].pinned, PAGE - 196);
	/* Three fourths of page 1, half of page 2. */
	EQ_U(l.place[0].share, PAGE - 196 + (PAGE - 400) / 4 * 3 + PAGE / 2);
	EQ_U(l.place[2].place, PAGE_PLACES_OTHER);
	EQ_U(l.place[2].pinned, 96);
	for (uint32_t i = 0; i < l.count; i++)
		share += l.place[i].share;
	EQ_U(share, p.head->part[MU_PAGES_SLACK]);
	EQ_U(l.pairs, 1);
	EQ_U(l.place[l.pair[0].a].place, 0);
	EQ_U(l.place[l.pair[0].b].place, 1);
	EQ_U(l.pair[0].pages, 2);
	EQ_U(l.pair[0].slack, PAGE - 400 + PAGE);
	page_places_free(&l);
	pages_free(&p);
}

/* Of an image in memory that others may write. */
static void test_lies(void)
{
	const uint64_t bytes = packed->bytes;
	const size_t at = sizeof(struct mu_image);
	uint8_t *memory = calloc(1, at + bytes);
	struct mu_pages *there = (struct mu_pages *)(memory + at);
	struct image im = { .base = memory, .size = at + bytes };
	struct mu_page_group *group;
	struct pages p;

	IS_FALSE(pages_load(&p, &im));
	memcpy(there, packed, bytes);
	im.head.used = im.head.populated = im.head.capacity = im.size;
	im.head.pages = at;
	IS_TRUE(pages_load(&p, &im));
	EQ_U(p.head->sites, 4);
	pages_free(&p);
	im.size--;
	IS_FALSE(pages_load(&p, &im));
	im.size++;
	there->uses++;
	IS_FALSE(pages_load(&p, &im));
	there->uses--;
	group = (struct mu_page_group *)((struct mu_page_site *)(there + 1) + there->sites);
	group->first = UINT32_MAX;
	IS_FALSE(pages_load(&p, &im));
	group->first = 0;
	IS_TRUE(pages_load(&p, &im));
	pages_free(&p);
	there->page_bytes = 0;
	IS_FALSE(pages_load(&p, &im));
	free(memory);
}

int main(void)
{
	pack_example();
	test_places();
	test_lies();
	free(packed);
	return done_testing();
}
