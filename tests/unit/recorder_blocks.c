/* recorder_blocks.c -- the table of live blocks agrees with a model, operation by operation, and
 * with docs/format.md, read independently.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/lifecycle/threads.h"
#include "tests/lib/recorder.h"

enum { RANGES = 40, MODEL_LOG2 = 21, THREADS = 4 };

/* What should be there: open addressing, never more than half full. */
struct model {
	struct entry {
		uint64_t address; /* 0 empty, 1 deleted */
		struct block block;
	} *entry;
	uint64_t count;
};

static struct {
	uint64_t base, granules, spacing;
} range[RANGES];

static void model_open(struct model *m)
{
	m->entry = calloc((size_t)1 << MODEL_LOG2, sizeof(*m->entry));
	m->count = 0;
}

static struct entry *model_find(struct model *m, uint64_t address, bool add)
{
	uint64_t i = (address >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - MODEL_LOG2);
	struct entry *place = NULL;

	for (;; i = (i + 1) & ((1u << MODEL_LOG2) - 1)) {
		struct entry *entry = &m->entry[i];
		if (entry->address == address)
			return entry;
		if (!place && entry->address <= 1)
			place = entry;
		if (!entry->address)
			return add ? place : NULL;
	}
}

static void make_ranges(uint64_t *random)
{
	static const uint64_t spacing[] = { 8, 16, 16, 32, 48, 96, 4096, 40960 };

	for (int i = 0; i < RANGES; i++) {
		range[i].base = (test_random(random) & ((UINT64_C(1) << 47) - 1)) >> 4 << 4;
		range[i].spacing = spacing[test_random(random) % 8];
		range[i].granules = 64 + test_random(random) % 20000;
		/* The lowest and the highest addresses there are. */
		if (i == 0)
			range[i].base = 16;
		if (i == 1)
			range[i].base = (UINT64_C(1) << 47) - range[i].spacing * range[i].granules;
	}
}

static uint64_t pick(uint64_t *random)
{
	unsigned int i = test_random(random) % RANGES;

	return range[i].base + test_random(random) % range[i].granules * range[i].spacing;
}

/* Of the table: MU_CFG_STACKS for full lines, 0 for bare ones. */
static uint32_t form;

static struct block some_block(uint64_t *random)
{
	uint64_t bits = test_random(random) % 49;

	return (struct block){ .size = test_random(random) & ((UINT64_C(1) << bits) - 1),
			       .birth = test_random(random) & ((UINT64_C(1) << 38) - 1),
			       .site = (uint32_t)test_random(random) };
}

static bool same_block(const struct block *a, const struct block *b)
{
	if (rec.has_bare_blocks)
		return a->size == b->size && a->site == 0 && a->birth == b->birth >> 36 << 36;
	return a->size == b->size && a->birth == b->birth && a->site == b->site;
}

static bool take_quick(uint64_t address, struct block *known, bool many)
{
	return rec.has_bare_blocks ? blocks_take_quick(self, address, known, many, true, many)
				   : blocks_take_quick(self, address, known, many, false, true);
}

static bool put_quick(uint64_t address, const struct block *block, bool many)
{
	return rec.has_bare_blocks ? blocks_put_quick(self, address, block, many, true, many)
				   : blocks_put_quick(self, address, block, many, false, true);
}

/* One operation on both. Returns false when they differ. */
static bool step(struct model *m, uint64_t address, uint64_t *random, bool many, bool may_add)
{
	struct entry *entry = model_find(m, address, false);
	struct block block = some_block(random), known;
	bool quick = test_random(random) & 1;

	if (entry) {
		bool ok = (quick && take_quick(address, &known, many)) ||
			  blocks_take(self, address, &known, many);
		entry->address = 1;
		m->count--;
		return ok && same_block(&known, &entry->block);
	}
	if (!may_add || test_random(random) % 8 == 0)
		return !take_quick(address, &known, many) &&
		       !blocks_take(self, address, &known, many);
	if (!(quick && put_quick(address, &block, many)) &&
	    !blocks_put(self, address, &block, many))
		return false;
	entry = model_find(m, address, true);
	*entry = (struct entry){ address, block };
	m->count++;
	return true;
}

/* ---- what is in the image, by the rules of docs/format.md, section 5 ---------------------- */

/* Returns the granule of record i of a line, and the block; 512 if it is not in use. */
static uint64_t decode(const struct mu_line *line, unsigned int i, struct block *block)
{
	uint64_t word = ((const struct mu_bare_line *)line)->record[i];
	uint32_t tag = line->tag[i & 3];

	if (rec.has_bare_blocks) {
		*block = (struct block){ .size = word >> 16, .birth = (word >> 10 & 3) << 36 };
		return word & 1 ? word >> 1 & 511 : 512;
	}
	*block = (struct block){ .size = line->size[i] & ((UINT64_C(1) << 48) - 1),
				 .birth = line->size[i] >> 48 << 22 | tag >> 10,
				 .site = line->site[i] };
	return tag & 1 ? tag >> 1 & 511 : 512;
}

static uint64_t check_bucket(uint64_t page, uint64_t word, struct model *m, uint64_t *wrong)
{
	const struct mu_line *line = (const struct mu_line *)blocks_bucket(word);
	unsigned int records = rec.has_bare_blocks ? 8 : 4;
	uint64_t count = 0;

	for (unsigned int l = 0; l < MU_PAGE_LINES(word); l++) {
		for (unsigned int i = 0; i < records; i++) {
			struct block block;
			uint64_t granule = decode(&line[l], i, &block);
			if (granule == 512)
				continue;
			struct entry *entry = model_find(m, page + granule * 8, false);
			count++;
			if (granule * MU_PAGE_LINES(word) >> 9 != l || !entry ||
			    !same_block(&block, &entry->block))
				++*wrong;
		}
	}
	return count;
}

static uint64_t check_leaf(uint64_t address, const uint64_t *leaf, struct model *m,
			   uint64_t *wrong)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < 512; i++)
		if (leaf[i])
			count += check_bucket(address + (i << 12), leaf[i], m, wrong);
	return count;
}

static void check_image(struct model *m)
{
	const struct mu_blocks *blocks = arena_at(rec.image->blocks_root);
	const struct mu_region *region = arena_at(MU_REGIONS_OFFSET(blocks->regions));
	uint64_t count = 0, wrong = 0;

	for (uint64_t r = 0; r < UINT64_C(1) << MU_REGIONS_LOG2(blocks->regions); r++) {
		if (!region[r].key)
			continue;
		uint64_t address = (region[r].key - 1) << MU_REGION_SHIFT;
		const uint64_t *leaves = arena_at(region[r].leaves);
		for (uint64_t i = 0; i < 512; i++)
			if (leaves[i])
				count += check_leaf(address + (i << MU_LEAF_SHIFT),
						    arena_at(leaves[i]), m, &wrong);
	}
	EQ_U(count, m->count);
	EQ_U(wrong, 0);
}

static uint64_t empty(struct model *m, bool many)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << MODEL_LOG2; i++) {
		struct entry *entry = &m->entry[i];
		struct block known;
		if (entry->address <= 1)
			continue;
		if (!blocks_take(self, entry->address, &known, many) ||
		    !same_block(&known, &entry->block))
			wrong++;
		entry->address = 1;
		m->count--;
	}
	return wrong;
}

static void one_thread(uint64_t operations, uint64_t seed)
{
	uint64_t random = seed, wrong = 0;
	struct model model;

	recorder_image(UINT64_C(2) << 30, form);
	model_open(&model);
	make_ranges(&random);
	for (uint64_t i = 0; i < operations; i++)
		wrong += !step(&model, pick(&random), &random, false,
			       model.count < UINT64_C(1) << (MODEL_LOG2 - 2));
	EQ_U(wrong, 0);
	diag("%" PRIu64 " blocks, %" PRIu64 " bytes each", model.count,
	     rec.image->used / (model.count + 1));
	check_image(&model);
	EQ_U(empty(&model, false), 0);
	check_image(&model);
	EQ_U(rec.image->drops.blocks, 0);
	free(model.entry);
}

/* Every granule of a page, in the orders that allocators use, and backwards. */
static void full_pages(void)
{
	struct block block = { .size = 1 }, known;
	uint64_t wrong = 0;

	recorder_image(UINT64_C(256) << 20, form);
	for (uint64_t a = 0; a < 512 * 100; a++)
		wrong += !blocks_put(self, 0x7f0000000000 + a * 8, &block, false);
	for (uint64_t a = 512 * 100; a-- > 0;)
		wrong += !blocks_take(self, 0x7f0000000000 + a * 8, &known, false);
	for (uint64_t a = 512 * 100; a-- > 0;)
		wrong += !blocks_put(self, 0x7f0000000000 + a * 8, &block, false);
	EQ_U(wrong, 0);
	uint64_t used = rec.image->used;
	for (int round = 0; round < 20; round++) {
		for (uint64_t a = 0; a < 512 * 100; a++)
			wrong += !blocks_take(self, 0x7f0000000000 + a * 8, &known, false);
		for (uint64_t a = 0; a < 512 * 100; a++)
			wrong += !blocks_put(self, 0x7f0000000000 + a * 8, &block, false);
	}
	EQ_U(wrong, 0);
	EQ_U(rec.image->used, used);
}

/* An arena that becomes full: what was there stays, what is new is refused. */
static void full_arena(void)
{
	struct block block = { .size = 77 }, known;
	uint64_t put = 0, taken = 0;

	recorder_image(UINT64_C(1) << 20, form);
	/* No private memory, then. */
	sandbox.is_on = true;
	while (put < 1000000 && blocks_put(self, 0x550000000000 + put * 16, &block, false))
		put++;
	IN_U(put, 10000, 131072);
	IS_TRUE(rec.image->notes & MU_NOTE_ARENA_FULL);
	while (blocks_take(self, 0x550000000000 + taken * 16, &known, false) && known.size == 77)
		taken++;
	EQ_U(taken, put);
	IS_TRUE(blocks_put(self, 0x550000000000, &block, false));
	sandbox.is_on = false;
}

/* As fork.c and image.c do; what was the image cannot be read any more. */
static void move_image(void)
{
	uint8_t *before = rec.base;
	uint64_t size = rec.image->capacity;
	uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memcpy(memory, before, rec.image->used);
	mprotect(before, size, PROT_NONE);
	rec.base = memory;
	rec.image = (struct mu_image *)memory;
	memory_publish(&rec.image->recorder_private);
	self = arena_at((uint64_t)((uint8_t *)self - before));
	for (size_t i = 0; i < LEAF_CACHE; i++)
		self->leaf[i].key = ~UINT64_C(0);
	blocks_inherit(before);
}

/* A forked child has its image elsewhere. */
static void inherited(uint64_t private_blocks, uint64_t blocks)
{
	struct block block = { 0 }, known;
	uint64_t wrong = 0;

	recorder_image(UINT64_C(64) << 20, form);
	for (uint64_t i = 0; i < blocks; i++) {
		sandbox.is_on = i >= private_blocks;
		block.size = i;
		/* The list of free buckets is used, too. */
		wrong += !blocks_put(self, 0x550000000000 + i * 40, &block, false);
	}
	move_image();
	for (uint64_t i = 0; i < blocks; i++)
		wrong += !blocks_take(self, 0x550000000000 + i * 40, &known, false) ||
			 known.size != i;
	for (uint64_t i = 0; i < blocks; i++)
		wrong += !blocks_put(self, 0x550000000000 + i * 24, &block, false);
	for (uint64_t i = 0; i < blocks; i++)
		wrong += !blocks_take(self, 0x550000000000 + i * 24, &known, false);
	EQ_U(wrong, 0);
	sandbox.is_on = false;
}

static bool is_there[512];

/* Records of other blocks come and go in the same lines. */
static void *come_and_go(void *stop)
{
	struct block block = { .size = 8 }, known;

	thread_attach(NULL);
	while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE))
		for (uint64_t i = 0; i < 512; i++)
			if (!is_there[i] &&
			    blocks_put(self, 0x550000000000 + i * 8, &block, true))
				blocks_take(self, 0x550000000000 + i * 8, &known, true);
	return NULL;
}

/* To ask for a block changes nothing, also where there is no room to put it back. */
static void known_in_a_full_arena(uint64_t questions)
{
	struct block block = { .size = 8 }, known;
	bool stop = false;
	uint64_t lost = 0;
	pthread_t id;

	recorder_image(UINT64_C(4) << 20, form);
	sandbox.is_on = true; /* so that buckets are in the image */
	blocks_put(self, 0x550000000000, &block, false);
	while (arena_alloc(64, 64))
		;
	for (uint64_t i = 0; i < 512; i++)
		is_there[i] = blocks_put(self, 0x550000000000 + i * 8, &block, false);
	gate.mode = MODE_MANY;
	pthread_create(&id, NULL, come_and_go, &stop);
	for (uint64_t i = 0; i < questions; i++)
		for (uint64_t k = 0; k < 512; k++)
			lost += is_there[k] && !event_knows(self, (void *)(0x550000000000 + k * 8));
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(id, NULL);
	EQ_U(lost, 0);
	for (uint64_t k = 1; k < 512; k++)
		lost += is_there[k] && !blocks_take(self, 0x550000000000 + k * 8, &known, true);
	EQ_U(lost, 0);
	gate.mode = 0;
	sandbox.is_on = false;
}

struct worker {
	uint64_t id, operations, wrong;
};

/* Each has granules of its own in pages that all share. */
static void *work(void *argument)
{
	struct worker *w = argument;
	uint64_t random = w->id + 1000;
	struct model model;

	thread_attach(NULL);
	model_open(&model);
	for (uint64_t i = 0; i < w->operations; i++) {
		uint64_t granule = test_random(&random) % 40000 * THREADS + w->id;
		w->wrong += !step(&model, 0x7f1234000000 + granule * 8, &random, true, true);
	}
	w->wrong += empty(&model, true);
	free(model.entry);
	return NULL;
}

static void many_threads(uint64_t operations)
{
	struct worker worker[THREADS];
	pthread_t id[THREADS];
	struct model nothing;

	recorder_image(UINT64_C(1) << 30, form);
	gate.mode = MODE_MANY;
	for (unsigned int i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){ .id = i, .operations = operations };
		pthread_create(&id[i], NULL, work, &worker[i]);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(id[i], NULL);
		EQ_U(worker[i].wrong, 0);
	}
	EQ_U(rec.image->drops.block_locks, 0);
	model_open(&nothing);
	check_image(&nothing);
	free(nothing.entry);
}

static void all_tests(uint32_t flags, bool slow)
{
	form = flags;
	one_thread(slow ? 30000000 : 2000000, 1);
	one_thread(slow ? 3000000 : 300000, 2);
	EQ_U(rec.has_bare_blocks, !flags);
	full_pages();
	full_arena();
	inherited(0, 100000);
	inherited(10000, 100000);
	inherited(100000, 100000);
	many_threads(slow ? 5000000 : 300000);
	known_in_a_full_arena(slow ? 100000 : 2000);
}

int main(void)
{
	bool slow = getenv("MU_SLOW") != NULL;

	all_tests(0, slow);
	all_tests(MU_CFG_STACKS, slow);
	return done_testing();
}
