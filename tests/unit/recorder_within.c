/* recorder_within.c -- which block an address lies in, and which begin in a range, agrees with a search
 * of a plain list: blocks side by side and far apart, in each of the three spaces.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/block_search.h"

#include <string.h>

#include "tests/lib/recorder.h"

enum { BLOCKS = 3000, PROBES = 20000, LARGEST = 200000 };

static struct known {
	uint64_t start, size;
	bool is_live;
} list[BLOCKS];
static uint64_t random_state = 7;

static uint64_t some(uint64_t below)
{
	return test_random(&random_state) % below;
}

/* In rising order, without an overlap; malloc's on 16 bytes. */
static void fill(uint64_t space, uint64_t base)
{
	uint64_t at = base;

	for (int i = 0; i < BLOCKS; i++) {
		struct block block;
		uint64_t size = some(20) == 0 ? some(LARGEST) : some(300);

		at += some(50) == 0 ? some(UINT64_C(1) << 26) : some(3) == 0 ? some(5000) : 0;
		at = space ? at : (at + 15) / 16 * 16;
		list[i] = (struct known){ at, size, true };
		block = (struct block){ .size = size, .birth = 5, .site = (uint32_t)i + 1 };
		if (!blocks_put(self, block_search_key(space, at), &block, false))
			diag("block %d is not in the table", i);
		at += size ? size : 1;
	}
}

static const struct known *model_at(uint64_t address)
{
	for (int i = 0; i < BLOCKS; i++)
		if (list[i].is_live && address - list[i].start < list[i].size)
			return &list[i];
	return NULL;
}

static const struct known *model_next(uint64_t from, uint64_t end)
{
	for (int i = 0; i < BLOCKS; i++)
		if (list[i].is_live && list[i].start >= from && list[i].start < end)
			return &list[i];
	return NULL;
}

/* Near an edge of some block, or anywhere. */
static uint64_t probe(void)
{
	const struct known *block = &list[some(BLOCKS)];

	switch (some(4)) {
	case 0:
		return block->start + some(3) - 1;
	case 1:
		return block->start + block->size + some(3) - 1;
	case 2:
		return block->start + (block->size ? some(block->size) : 0);
	default:
		return list[0].start + some(list[BLOCKS - 1].start - list[0].start);
	}
}

static unsigned int wrong_finds(uint64_t space)
{
	unsigned int wrong = 0;

	for (int i = 0; i < PROBES / 4; i++) {
		struct block block;
		uint64_t start, address = probe();
		const struct known *want = model_at(address);
		bool is_found = block_search_find(space, address, LARGEST, &start, &block, some(2));

		if (is_found != !!want ||
		    (want && (start != want->start || block.size != want->size ||
			      block.site != (uint32_t)(want - list) + 1)))
			wrong++;
	}
	return wrong;
}

static unsigned int wrong_nexts(uint64_t space)
{
	unsigned int wrong = 0;

	for (int i = 0; i < PROBES / 4; i++) {
		uint64_t from = probe(), at = from, end = from + some(some(2) ? 100 : 100000);
		const struct known *want = model_next(from, end);
		bool is_found = block_search_next(space, &at, end, some(2));

		if (is_found != !!want || (want && at != want->start))
			wrong++;
	}
	return wrong;
}

static void one_space(uint64_t space, uint64_t base, const char *name)
{
	unsigned int left = 0;
	struct block block;

	diag("%s", name);
	recorder_image(UINT64_C(256) << 20, MU_CFG_STACKS);
	EQ_U(block_search_next(space, &(uint64_t){ base }, base + (1 << 30), false), false);
	fill(space, base);
	EQ_U(wrong_finds(space), 0);
	EQ_U(wrong_nexts(space), 0);
	/* Half of them go; pages become empty. */
	for (int i = 0; i < BLOCKS; i++) {
		if (some(2) && i % 700 > 60)
			continue;
		list[i].is_live = false;
		if (!blocks_take(self, block_search_key(space, list[i].start), &block, false))
			left++;
	}
	EQ_U(left, 0);
	EQ_U(wrong_finds(space), 0);
	EQ_U(wrong_nexts(space), 0);
}

/* The same address in each space is a block of its own. */
static void apart(void)
{
	static const uint64_t space[] = { 0, MU_KEY_ANNOUNCED, MU_KEY_NESTED };
	const uint64_t address = UINT64_C(0x7f0000001000);
	struct block block;
	uint64_t start;

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS);
	for (uint32_t i = 0; i < 3; i++) {
		block = (struct block){ .size = 100 * (i + 1), .site = i + 1 };
		EQ_U(blocks_put(self, block_search_key(space[i], address), &block, false), true);
	}
	for (uint32_t i = 0; i < 3; i++) {
		EQ_U(block_search_find(space[i], address + 50, 1000, &start, &block, false), true);
		EQ_U(start, address);
		EQ_U(block.site, i + 1);
		EQ_U(block_search_find(space[i], address + 100 * (i + 1), 1000, &start, &block,
				       false),
		     false);
	}
	EQ_U(block_search_find(0, address + 50, 49, &start, &block, false), false);
}

static void peek(void)
{
	const uint64_t key = block_search_key(MU_KEY_ANNOUNCED, 0x601003);
	struct block block = { .size = 77, .birth = 9, .site = 4 };

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS);
	EQ_U(blocks_put(self, key, &block, false), true);
	EQ_U(block_search_peek(self, key + 8, 0, &block, false), false);
	EQ_U(block_search_peek(self, key + (1 << 20), 0, &block, false), false);
	memset(&block, 0, sizeof(block));
	EQ_U(block_search_peek(self, key, 0, &block, true), true);
	EQ_U(block.size, 77);
	EQ_U(block.birth, 9);
	EQ_U(block.site, 4);
	EQ_U(block_search_peek(self, key, MU_BIRTH_OUTER, &block, false), true);
	EQ_U(blocks_take(self, key, &block, false), true);
	EQ_U(block.birth, 9 | MU_BIRTH_OUTER);
}

int main(void)
{
	one_space(0, UINT64_C(0x5500000000), "blocks of malloc");
	one_space(MU_KEY_ANNOUNCED, UINT64_C(0x7f1234567001), "announced blocks");
	one_space(MU_KEY_NESTED, 4097, "nested blocks");
	apart();
	peek();
	return done_testing();
}
