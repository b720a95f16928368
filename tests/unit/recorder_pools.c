/* recorder_pools.c -- pools and their blocks agree with a model, operation by operation: what is
 * announced is what pools hold, to the byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/pools.h"

#include <string.h>

#include "libmemusage/requests/client_block.h"
#include "libmemusage/tables/block_search.h"
#include "tests/lib/recorder.h"

enum { POOLS = 6, BLOCKS = 700, ROOM = 64, STEPS = 60000 };

static const struct call_site nowhere;
static struct {
	uint64_t name;		/* 0: there is none */
	uint64_t base;
	uint16_t offset[BLOCKS], size[BLOCKS];	/* offset + 1 of a block within its room, 0 none */
} pool[POOLS];
static uint64_t random_state = 11;

static uint64_t some(uint64_t below)
{
	return test_random(&random_state) % below;
}

static int64_t heap(void)
{
	return rec.image->heap.now + self->pub.pending_heap;
}

static uint64_t room(int p, unsigned int i)
{
	return pool[p].base + (uint64_t)i * ROOM;
}

static uint64_t address(int p, unsigned int i)
{
	return room(p, i) + pool[p].offset[i] - 1;
}

static void place_in(int p, unsigned int i)
{
	pool[p].offset[i] = (uint16_t)(1 + some(ROOM / 2));
	pool[p].size[i] = (uint16_t)some(ROOM / 2 + 1);
}

static bool alloc(int p)
{
	unsigned int i = (unsigned int)some(BLOCKS);

	if (!pool[p].name)
		return !pools_alloc(self, &nowhere, 77777, room(p, i), 8);
	if (pool[p].offset[i])
		return true;
	place_in(p, i);
	return pools_alloc(self, &nowhere, pool[p].name, address(p, i), pool[p].size[i]);
}

static bool release(int p)
{
	unsigned int i = (unsigned int)some(BLOCKS);
	bool is_there = pool[p].name && pool[p].offset[i];
	uint64_t at = is_there ? address(p, i) : room(p, i);

	pool[p].offset[i] = 0;
	return pools_free(self, &nowhere, pool[p].name, at) == is_there;
}

static bool change(int p)
{
	unsigned int i = (unsigned int)some(BLOCKS);
	uint64_t from;

	if (!pool[p].name || !pool[p].offset[i])
		return !pools_change(self, &nowhere, pool[p].name, room(p, i), room(p, i), 1);
	from = address(p, i);
	place_in(p, i);
	return pools_change(self, &nowhere, pool[p].name, from, address(p, i), pool[p].size[i]);
}

/* What lies in [start, end) stays, cut to it. */
static bool trim(int p)
{
	uint64_t start = room(p, (unsigned int)some(BLOCKS)) + some(ROOM);
	uint64_t end = start + some((uint64_t)BLOCKS * ROOM);

	if (some(20))
		return true;
	for (unsigned int i = 0; i < BLOCKS; i++) {
		uint64_t low, high;

		if (!pool[p].name || !pool[p].offset[i])
			continue;
		low = address(p, i) > start ? address(p, i) : start;
		high = address(p, i) + pool[p].size[i] < end ? address(p, i) + pool[p].size[i] :
							       end;
		pool[p].offset[i] = low < high ? (uint16_t)(low - room(p, i) + 1) : 0;
		pool[p].size[i] = low < high ? (uint16_t)(high - low) : 0;
	}
	return pools_trim(self, &nowhere, pool[p].name, start, end - start) == !!pool[p].name;
}

static bool life(int p)
{
	uint64_t name = 1000 + some(1000000) * 16 + (uint64_t)p;

	if (some(100))
		return true;
	if (!pool[p].name) {
		pool[p].name = name;
		return pools_create(name, 0) && !pools_create(name, 0);
	}
	if (some(2)) {
		uint64_t old = pool[p].name;

		pool[p].name = name;
		return pools_move(old, name) && (old == name || !pools_exist(old)) &&
		       pools_exist(name);
	}
	name = pool[p].name;
	pool[p].name = 0;
	memset(pool[p].offset, 0, sizeof(pool[p].offset));
	return pools_destroy(self, &nowhere, name) && !pools_destroy(self, &nowhere, name);
}

/* Blocks of the model that are not announced as such, or bytes that nobody has. */
static unsigned int differences(void)
{
	unsigned int wrong = 0;
	int64_t bytes = 0;

	for (int p = 0; p < POOLS; p++) {
		for (unsigned int i = 0; i < BLOCKS; i++) {
			uint64_t at = room(p, i);
			struct block block;
			bool is_there = block_search_next(MU_KEY_ANNOUNCED, &at, at + ROOM, false);

			if (is_there != !!pool[p].offset[i])
				wrong++;
			if (!pool[p].offset[i])
				continue;
			bytes += pool[p].size[i];
			if (at != address(p, i) ||
			    !block_search_peek(self, block_search_key(MU_KEY_ANNOUNCED, at), 0,
					       &block, false) ||
			    block.size != pool[p].size[i])
				wrong++;
		}
	}
	return wrong + (bytes != heap());
}

static void against_the_model(void)
{
	static bool (*const what[])(int) = { alloc, alloc, alloc, release, change, trim, life };
	unsigned int refused = 0, wrong = 0;

	recorder_image(UINT64_C(64) << 20, 0);
	for (int p = 0; p < POOLS; p++)
		pool[p].base = UINT64_C(0x7f1000000000) + ((uint64_t)p << 24);
	for (int i = 0; i < STEPS; i++) {
		refused += !what[some(7)]((int)some(POOLS));
		if (i % 6000 == 5999)
			wrong += differences();
	}
	EQ_U(refused, 0);
	EQ_U(wrong, 0);
	for (int p = 0; p < POOLS; p++)
		if (pool[p].name)
			pools_destroy(self, &nowhere, pool[p].name);
	EQ_I(heap(), 0);
}

/* The blocks of a metapool are not counted, but the blocks announced in them are; these end with
 * them if the pool says so. */
static void metapools(void)
{
	recorder_image(UINT64_C(64) << 20, 0);
	EQ_U(pools_create(1, POOL_METAPOOL | POOL_AUTO_FREE), true);
	EQ_U(pools_create(2, POOL_METAPOOL), true);
	EQ_U(pools_alloc(self, &nowhere, 1, 0x1000000, 4096), true);
	EQ_U(pools_alloc(self, &nowhere, 2, 0x2000000, 4096), true);
	EQ_I(heap(), 0);
	EQ_U(client_block_alloc(self, &nowhere, 0x1000010, 100), true);
	EQ_U(client_block_alloc(self, &nowhere, 0x2000010, 30), true);
	EQ_I(heap(), 130);
	EQ_U(pools_free(self, &nowhere, 1, 0x1000000), true);
	EQ_I(heap(), 30);
	EQ_U(pools_free(self, &nowhere, 2, 0x2000000), true);
	EQ_I(heap(), 30);
	EQ_U(pools_free(self, &nowhere, 2, 0x2000000), false);
}

/* A new image knows none; many pools and blocks make the table grow. */
static void many(void)
{
	unsigned int wrong = 0;

	recorder_image(UINT64_C(64) << 20, 0);
	EQ_U(pools_exist(1), false);
	for (uint64_t i = 1; i <= 5000; i++)
		wrong += !pools_create(i * 8, 0) ||
			 !pools_alloc(self, &nowhere, i * 8, 0x10000000 + i * 16, 16);
	EQ_U(wrong, 0);
	EQ_I(heap(), 5000 * 16);
	for (uint64_t i = 1; i <= 5000; i++)
		wrong += !pools_destroy(self, &nowhere, i * 8);
	EQ_U(wrong, 0);
	EQ_I(heap(), 0);
}

int main(void)
{
	against_the_model();
	metapools();
	many();
	return done_testing();
}
