/* blocks.c -- the slow paths of the live-block table: directory and growth.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/blocks.h"

#include <string.h>

#include "libmemusage/base/hash.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/tables/buckets.h"

#define REGION_LOG2_FIRST 4
#define LEAF_BYTES (512 * sizeof(uint64_t))
#define BUMP_MIN 2048u
#define BUMP_MAX 65536u

uint32_t blocks_pages;

/* Sizes of a bucket in lines. Steps are small where most pages live: a page of 16-byte
 * blocks needs 64 to 128, one of 64-byte blocks about 20. */
static const uint8_t bucket_lines[BUCKET_SIZES] = { 1,	2,  3,	4,  6,	8,  10, 12,
						    14, 16, 20, 24, 28, 32, 36, 40,
						    48, 56, 64, 72, 80, 96, 112, 128 };

/* The smallest size class of at least `lines` lines. */
static unsigned int bucket_class_of(unsigned int lines)
{
	unsigned int class = 0;

	while (class < BUCKET_SIZES - 1 && bucket_lines[class] < lines)
		class++;
	return class;
}

/* The address of a bucket, as page words and the lists of free buckets give it. */
static void *bucket_at(uint64_t place)
{
	return (void *)((uint64_t)rec.buckets + place);
}

static uint64_t bucket_alloc(struct thread *thread, unsigned int class)
{
	uint64_t offset = thread->bucket[class];
	uint64_t bytes = bucket_lines[class] * sizeof(struct mu_line);

	if (offset) {
		uint64_t *link = bucket_at(offset);
		thread->bucket[class] = *link;
		*link = 0;
		return offset;
	}
	if (thread->bucket_bump_end - thread->bucket_bump < bytes) {
		uint64_t want = thread->bucket_bytes < BUMP_MIN ? BUMP_MIN : thread->bucket_bytes;
		want = want > BUMP_MAX ? BUMP_MAX : want & -UINT64_C(64);
		if (want < bytes)
			want = bytes;
		thread->bucket_bytes += want / 2;
		offset = rec.buckets ? arena_alloc(want, 64) : buckets_take(want);
		if (!offset)
			return 0;
		thread->bucket_bump = offset;
		thread->bucket_bump_end = offset + want;
	}
	offset = thread->bucket_bump;
	thread->bucket_bump += bytes;
	return offset;
}

static void bucket_free(struct thread *thread, unsigned int class, uint64_t offset)
{
	memset(bucket_at(offset), 0, bucket_lines[class] * sizeof(struct mu_line));
	*(uint64_t *)bucket_at(offset) = thread->bucket[class];
	thread->bucket[class] = offset;
}

/* The following functions are compiled for each form of the table: a growing heap spends most of
 * its time in them. */
#define FOR_FORM static inline __attribute__((always_inline))

FOR_FORM unsigned int records_of_line(const bool bare)
{
	return bare ? 8 : 4;
}

/* The line of a bucket for a granule, NULL if it is full. */
FOR_FORM void *find_free_record(uint64_t bucket, uint32_t granule, unsigned int *i, const bool bare)
{
	unsigned int place = blocks_place(bucket, granule, bare);
	void *line = blocks_line(bucket, place, bare);

	*i = blocks_find(line, blocks_first(place, bare), 1, 0, bare);
	return *i != BLOCKS_NONE ? line : NULL;
}

FOR_FORM bool copy_one_record(uint64_t to, const void *from, unsigned int i, const bool bare)
{
	unsigned int k;
	uint32_t granule = blocks_tag(from, i, bare) >> 1 & 511;
	void *line = find_free_record(to, granule, &k, bare);

	if (!line)
		return false;
	if (bare) {
		((struct mu_bare_line *)line)->record[k] =
			((const struct mu_bare_line *)from)->record[i];
		return true;
	}
	struct mu_line *target = line;
	const struct mu_line *source = from;
	target->tag[k] = source->tag[i];
	target->site[k] = source->site[i];
	target->size[k] = source->size[i];
	return true;
}

FOR_FORM bool copy_bucket(uint64_t to, uint64_t from, const bool bare)
{
	const struct mu_line *line = bucket_at(MU_PAGE_BUCKET(from));

	for (unsigned int l = 0; l < MU_PAGE_LINES(from); l++)
		for (unsigned int i = 0; i < records_of_line(bare); i++)
			if (blocks_tag(&line[l], i, bare) & 1 &&
			    !copy_one_record(to, &line[l], i, bare))
				return false;
	return true;
}

static bool copy_all_records(uint64_t to, uint64_t from)
{
	return rec.has_bare_blocks ? copy_bucket(to, from, true) : copy_bucket(to, from, false);
}

FOR_FORM unsigned int count_used_records(const struct mu_line *line, const bool bare)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < records_of_line(bare); i++)
		used += blocks_tag(line, i, bare) & 1;
	return used;
}

/* Lines that a page needs for its present records if they fill three quarters. */
static unsigned int lines_needed_full(const struct mu_line *line, unsigned int lines)
{
	unsigned int used = 0;

	for (unsigned int l = 0; l < lines; l++)
		used += count_used_records(&line[l], false);
	return used >= 3 * lines ? lines : used / 3;
}

/* ... if they just fill the fullest line: blocks may be close together in one part of a page, and
 * that part decides. Full lines are frequent, so this is quick. With this rule full records would
 * take 24 instead of 22.5 bytes per block. */
static unsigned int lines_needed_bare(const struct mu_line *line, unsigned int lines)
{
	unsigned int fullest = 0;

	for (unsigned int l = 0; l < lines && fullest < 8; l++) {
		unsigned int used = count_used_records(&line[l], true);
		fullest = used > fullest ? used : fullest;
	}
	return (fullest * lines + 7) / 8;
}

/* Reads without the page's lock: a guess. */
static unsigned int guess_lines_needed(uint64_t value)
{
	const struct mu_line *line = bucket_at(MU_PAGE_BUCKET(value));
	unsigned int lines = MU_PAGE_LINES(value);

	return rec.has_bare_blocks ? lines_needed_bare(line, lines) :
				     lines_needed_full(line, lines);
}

/* Pages of one heap are alike: a new page begins with the lines that one of its two lower
 * neighbours uses. This halves the cost of filling a heap (68 -> 30 ns per block). */
static unsigned int first_bucket_class(const uint64_t *word)
{
	if (((uintptr_t)word & (LEAF_BYTES - 1)) < 2 * sizeof(*word))
		return 0;
	uint64_t one = __atomic_load_n(word - 1, __ATOMIC_RELAXED);
	uint64_t two = __atomic_load_n(word - 2, __ATOMIC_RELAXED);
	unsigned int lines = MU_PAGE_LINES(one) < 2 ? 0 : guess_lines_needed(one);
	unsigned int other = MU_PAGE_LINES(two) < 2 ? 0 : guess_lines_needed(two);
	lines = lines > other ? lines : other;
	return lines < 2 ? 0 : bucket_class_of(lines);
}

/* The size of a bucket whose lines are too short for a full line of this one and the new granule.
 * Blocks that are this close are followed by more of them, so the page grows once instead of ten
 * times. */
static unsigned int class_for_spacing(uint64_t old, uint32_t granule)
{
	const void *line = blocks_line(old, blocks_place(old, granule, true), true);
	uint32_t first = granule, last = granule;

	for (unsigned int i = 0; i < records_of_line(true); i++) {
		uint32_t other = blocks_tag(line, i, true) >> 1 & 511;
		first = other < first ? other : first;
		last = other > last ? other : last;
	}
	return last > first ? bucket_class_of((511 + last - first) / (last - first)) : 0;
}

/* The size of the bucket that follows one that is full. */
static unsigned int next_bucket_class(uint64_t old, uint32_t granule)
{
	unsigned int class = bucket_class_of(MU_PAGE_LINES(old)) + 1;
	unsigned int apart = rec.has_bare_blocks ? class_for_spacing(old, granule) : 0;

	return apart > class ? apart : class;
}

/* The entry of a key, or the unused one where it belongs. */
static struct mu_region *find_region(uint64_t regions, uint64_t key)
{
	struct mu_region *region = arena_at(MU_REGIONS_OFFSET(regions));
	unsigned int log2 = MU_REGIONS_LOG2(regions);
	uint64_t mask = (UINT64_C(1) << log2) - 1;
	uint64_t i = hash_spread(key) >> (64 - log2);
	uint64_t found;

	while ((found = __atomic_load_n(&region[i].key, __ATOMIC_ACQUIRE)) && found != key)
		i = (i + 1) & mask;
	return &region[i];
}

/* Doubles the region table when it is half full. The old table stays valid for threads that still
 * read it. They need none of the newest regions: a thread that passes a block there to another one
 * synchronises with it. */
static bool grow_region_table(struct mu_blocks *blocks)
{
	unsigned int log2 = MU_REGIONS_LOG2(blocks->regions);
	uint64_t offset = arena_alloc(sizeof(struct mu_region) << (log2 + 1), 64);
	uint64_t regions = offset | (log2 + 1);

	if (!offset)
		return false;
	const struct mu_region *old = arena_at(MU_REGIONS_OFFSET(blocks->regions));
	for (uint64_t i = 0; i < UINT64_C(1) << log2; i++)
		if (old[i].key)
			*find_region(regions, old[i].key) = old[i];
	__atomic_store_n(&blocks->regions, regions, __ATOMIC_RELEASE);
	return true;
}

static uint64_t *find_leaf_place(struct mu_blocks *blocks, uint64_t address)
{
	uint64_t key = (address >> MU_REGION_SHIFT) + 1;
	uint64_t regions = __atomic_load_n(&blocks->regions, __ATOMIC_ACQUIRE);
	struct mu_region *region = find_region(regions, key);

	if (!region->key)
		return NULL;
	return (uint64_t *)arena_at(region->leaves) + (address >> MU_LEAF_SHIFT & 511);
}

/* Needs the directory lock. Returns the leaf's offset, 0 if the arena is full. */
static uint64_t make_leaf(struct mu_blocks *blocks, uint64_t address)
{
	uint64_t key = (address >> MU_REGION_SHIFT) + 1;
	struct mu_region *region = find_region(blocks->regions, key);

	if (!region->key) {
		if (blocks->region_count * 2 >= 1u << MU_REGIONS_LOG2(blocks->regions)) {
			if (!grow_region_table(blocks))
				return 0;
			region = find_region(blocks->regions, key);
		}
		region->leaves = arena_alloc(LEAF_BYTES, LEAF_BYTES);
		if (!region->leaves)
			return 0;
		__atomic_store_n(&region->key, key, __ATOMIC_RELEASE);
		blocks->region_count++;
	}
	uint64_t *leaf = (uint64_t *)arena_at(region->leaves) + (address >> MU_LEAF_SHIFT & 511);
	if (!*leaf)
		__atomic_store_n(leaf, arena_alloc(LEAF_BYTES, LEAF_BYTES), __ATOMIC_RELEASE);
	return *leaf;
}

bool blocks_init(bool bare)
{
	uint64_t root = arena_alloc(sizeof(struct mu_blocks), 64);
	uint64_t regions = arena_alloc(sizeof(struct mu_region) << REGION_LOG2_FIRST, 64);

	if (!root || !regions)
		return false;
	struct mu_blocks *blocks = arena_at(root);
	blocks->regions = regions | REGION_LOG2_FIRST;
	blocks->form = bare ? MU_BLOCKS_BARE : MU_BLOCKS_FULL;
	rec.has_bare_blocks = bare;
	/* The emulator's plugin must not map. */
	rec.buckets = rec.flags & MU_CFG_ACCESSES ? rec.base : NULL;
	buckets_begin();
	rec.image->blocks_root = root;
	rec.image->features |= MU_FEATURE(MU_SEC_BLOCKS);
	return true;
}

/* Returns a page word for the child: a bucket in the image, which the word addresses, has moved. */
static uint64_t moved_page_word(uint64_t word, uint64_t before)
{
	uint64_t bucket = MU_PAGE_BUCKET(word);

	if (!bucket || bucket - before >= rec.image->capacity)
		return word;
	return (bucket - before + (uint64_t)rec.base) >> 6 << 9 | (word & 511);
}

static void move_leaf_words(uint64_t *leaf, uint64_t before)
{
	for (unsigned int i = 0; i < 512; i++)
		leaf[i] = moved_page_word(leaf[i], before);
}

static void move_bucket_words(uint64_t before)
{
	const struct mu_blocks *blocks = arena_at(rec.image->blocks_root);
	const struct mu_region *region = arena_at(MU_REGIONS_OFFSET(blocks->regions));

	for (uint64_t i = 0; i < UINT64_C(1) << MU_REGIONS_LOG2(blocks->regions); i++) {
		const uint64_t *leaves = region[i].key ? arena_at(region[i].leaves) : NULL;
		for (unsigned int k = 0; leaves && k < 512; k++)
			if (leaves[k])
				move_leaf_words(arena_at(leaves[k]), before);
	}
}

/* Buckets in the image are rare, so the free ones are given up. */
void blocks_inherit(const uint8_t *before)
{
	if (rec.buckets) {
		rec.buckets = rec.base;
	} else if (buckets_are_shared()) {
		move_bucket_words((uint64_t)before);
		if (!has_self())
			return;
		self->bucket_bump = self->bucket_bump_end = 0;
		memset(self->bucket, 0, sizeof(self->bucket));
	}
}

uint64_t *blocks_word_slow(struct thread *thread, uint64_t address, bool make)
{
	struct mu_blocks *blocks = arena_at(rec.image->blocks_root);
	uint64_t key = address >> MU_LEAF_SHIFT;
	uint64_t *place = find_leaf_place(blocks, address);
	uint64_t offset = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : 0;

	if (!offset && make && spin_lock(&blocks->lock)) {
		offset = make_leaf(blocks, address);
		spin_unlock(&blocks->lock);
	}
	if (!offset)
		return NULL;
	struct leaf_entry *entry = &thread->leaf[key % LEAF_CACHE];
	entry->key = key;
	entry->leaf = arena_at(offset);
	return &entry->leaf[address >> 12 & 511];
}

uint64_t *blocks_leaf(uint64_t address, uint64_t *size)
{
	uint64_t *place = find_leaf_place(arena_at(rec.image->blocks_root), address);
	uint64_t offset = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : 0;

	*size = UINT64_C(1) << (place ? MU_LEAF_SHIFT : MU_REGION_SHIFT);
	return offset ? arena_at(offset) : NULL;
}

uint64_t blocks_grow(struct thread *thread, uint64_t *word, uint64_t old, uint32_t granule,
		     const struct block *block)
{
	unsigned int lines = MU_PAGE_LINES(old);
	unsigned int class = lines ? next_bucket_class(old, granule) : first_bucket_class(word);
	const bool bare = rec.has_bare_blocks;

	for (; class < BUCKET_SIZES; class++) {
		uint64_t offset = bucket_alloc(thread, class);
		uint64_t grown = offset >> 6 << 9 | (uint64_t)bucket_lines[class] << 1;
		unsigned int i;
		if (!offset)
			return 0;
		void *line = copy_all_records(grown, old) ?
				     find_free_record(grown, granule, &i, bare) :
				     NULL;
		if (line) {
			blocks_store(line, i, granule, block, bare);
			if (lines)
				bucket_free(thread, bucket_class_of(lines), MU_PAGE_BUCKET(old));
			else
				__atomic_fetch_add(&blocks_pages, 1, __ATOMIC_RELEASE);
			return grown;
		}
		bucket_free(thread, class, offset);
	}
	return 0;
}

bool blocks_put_slow(struct thread *thread, uint64_t address, const struct block *block, bool many)
{
	return blocks_put(thread, address, block, many);
}

bool blocks_lock_slow(uint64_t *word, uint64_t *value)
{
	for (unsigned int turn = 0;;) {
		uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
		if (!(seen & MU_PAGE_LOCK) &&
		    __atomic_compare_exchange_n(word, &seen, seen | MU_PAGE_LOCK, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*value = seen;
			return true;
		}
		if (!spin_backoff(&turn)) {
			count_drop(block_locks);
			return false;
		}
	}
}
