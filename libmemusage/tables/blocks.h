/* blocks.h -- the live-block table: address -> size, site, time of birth.
 *
 * The table is out of band: nothing is put before the program's blocks. docs/format.md, section 5,
 * has the layout; `bare` tells which form the lines have. One block has one owner at a time
 * (removal before the real free, insertion after the real malloc), so entries never race. Only the
 * bucket of a page is shared. The lock bit of its page word guards it, and is used only when the
 * process has more than one thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

#define BLOCK_SIZE_MASK ((UINT64_C(1) << 48) - 1)
#define BLOCK_TAG_KEY 0x3ffu /* used bit and granule */
#define BLOCKS_NONE 8u	     /* no record of a line */

struct block {
	uint64_t size; /* bytes requested */
	uint64_t birth;
	uint32_t site;
};

/* blocks_init -- make the empty table of a new image. Returns false if the arena is full.
 *
 * bare  records have sizes only, and sites and births read as 0: this touches a third of the
 *       memory. Kept in rec.has_bare_blocks.
 */
bool blocks_init(bool bare);

/* blocks_inherit -- adapt the table in a forked child, whose image has moved.
 *
 * before  where the parent's image is. Call it when `self` is the child's record.
 */
void blocks_inherit(const uint8_t *before);

/* blocks_word_slow -- find the page word of an address that the thread's cache does not have.
 *
 * make     create the leaf if there is none.
 * Returns  NULL if there is none, or none could be made. Async-signal-safe.
 */
uint64_t *blocks_word_slow(struct thread *thread, uint64_t address, bool make);

/* The number of pages that ever got a bucket: while it does not change, no page gets its first. */
extern HIDDEN uint32_t blocks_pages;

/* blocks_leaf -- find the leaf with the page words of an address.
 *
 * size     set to the bytes of address space, aligned to as many, for which the answer holds.
 * Returns  NULL if there is none. Async-signal-safe.
 */
uint64_t *blocks_leaf(uint64_t address, uint64_t *size);

/* blocks_grow -- insert a block into a page whose bucket is missing or full.
 *
 * word   its page word, locked if there are many threads; `old` is its value.
 * Returns the new value of the page word, or 0 if the arena is full (old stays valid).
 */
uint64_t blocks_grow(struct thread *thread, uint64_t *word, uint64_t old, uint32_t granule,
		     const struct block *block);

/* blocks_lock_slow -- wait for the lock bit of a page word.
 *
 * value    set to the word without the lock bit.
 * Returns  false if the lock did not become free within the bound (counted as a drop).
 */
bool blocks_lock_slow(uint64_t *word, uint64_t *value);

/* blocks_word -- find the page word of an address. As blocks_word_slow(). */
static inline uint64_t *blocks_word(struct thread *thread, uint64_t address, bool make)
{
	uint64_t key = address >> MU_LEAF_SHIFT;
	struct leaf_entry *entry = &thread->leaf[key % LEAF_CACHE];

	if (likely(entry->key == key))
		return &entry->leaf[address >> 12 & 511];
	return blocks_word_slow(thread, address, make);
}

/* blocks_lock -- read a page word, and take its lock if there are many threads. As _slow(). */
static inline bool blocks_lock(uint64_t *word, uint64_t *value, bool many)
{
	if (!many) {
		*value = *word;
		return true;
	}
	uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED) & ~MU_PAGE_LOCK;
	*value = seen;
	if (likely(__atomic_compare_exchange_n(word, &seen, seen | MU_PAGE_LOCK, false,
					       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		return true;
	return blocks_lock_slow(word, value);
}

/* blocks_unlock -- store a page word, which releases its lock. */
static inline void blocks_unlock(uint64_t *word, uint64_t value, bool many)
{
	if (many)
		__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* blocks_place -- return the preferred place of a granule's record, from the bucket's first on.
 *
 * value  of the page word, also in the next functions.
 * Most programs space the blocks of a page evenly. So most records find their place unused, and a
 * search finds them there.
 */
static inline unsigned int blocks_place(uint64_t value, uint32_t granule, const bool bare)
{
	return granule * MU_PAGE_LINES(value) >> (bare ? 6 : 7);
}

/* blocks_bucket -- return the bucket of a page. */
static inline uint8_t *blocks_bucket(uint64_t value)
{
	return (uint8_t *)((uint64_t)rec.buckets + MU_PAGE_BUCKET(value));
}

/* blocks_line -- return the line that has a place. */
static inline void *blocks_line(uint64_t value, unsigned int place, const bool bare)
{
	return (void *)((uint64_t)blocks_bucket(value) + (place >> (bare ? 3 : 2)) * 64);
}

/* blocks_granule -- return the number of an address's 8 bytes in their page, 0 to 511. */
static inline uint32_t blocks_granule(uint64_t address)
{
	return (uint32_t)(address >> MU_GRANULE_SHIFT) & 511;
}

/* blocks_key -- return the tag of a granule's record under BLOCK_TAG_KEY. */
static inline uint32_t blocks_key(uint32_t granule)
{
	return granule << 1 | 1;
}

/* blocks_tag -- return the tag of record i of a line: used bit, granule, and other bits above. */
static inline uint32_t blocks_tag(const void *line, unsigned int i, const bool bare)
{
	if (bare)
		return (uint32_t)((const struct mu_bare_line *)line)->record[i];
	return ((const struct mu_line *)line)->tag[i];
}

/* blocks_first -- return the index in its line of a place's record. */
static inline unsigned int blocks_first(unsigned int place, const bool bare)
{
	return place & (bare ? 7 : 3);
}

/* The place for a block's record. */
struct blocks_spot {
	void *line; /* NULL: not known */
	uint32_t granule;
	unsigned int first; /* index of the record to look at first */
};

/* blocks_spot_of -- return the place for the record of the block at `address`.
 *
 * value  of its page word, not 0; else the line does not exist.
 */
static inline __attribute__((always_inline)) struct blocks_spot
blocks_spot_of(uint64_t value, uint64_t address, const bool bare)
{
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);

	return (struct blocks_spot){ .line = blocks_line(value, place, bare),
				     .granule = granule,
				     .first = blocks_first(place, bare) };
}

/* blocks_find -- find the record of a line whose masked tag is `key`.
 *
 * first    the index to look at first.
 * Returns  its index, BLOCKS_NONE if there is none.
 */
static inline unsigned int blocks_find(const void *line, unsigned int first, uint32_t mask,
				       uint32_t key, const bool bare)
{
	if (likely((blocks_tag(line, first, bare) & mask) == key))
		return first;
	for (unsigned int i = 0; i < (bare ? 8u : 4u); i++)
		if ((blocks_tag(line, i, bare) & mask) == key)
			return i;
	return BLOCKS_NONE;
}

/* blocks_find_known -- find the record of the block whose place is `spot`.
 *
 * Returns  its index, BLOCKS_NONE if the line does not have it.
 */
static inline unsigned int blocks_find_known(const struct blocks_spot *spot, const bool bare)
{
	return blocks_find(spot->line, spot->first, BLOCK_TAG_KEY, blocks_key(spot->granule), bare);
}

/* blocks_find_unused -- find a record of a line that is unused, the preferred one if it is. */
static inline unsigned int blocks_find_unused(const struct blocks_spot *spot, const bool bare)
{
	return blocks_find(spot->line, spot->first, 1, 0, bare);
}

/* blocks_store -- set record i of a line. */
static inline void blocks_store(void *line, unsigned int i, uint32_t granule,
				const struct block *block, const bool bare)
{
	struct mu_line *full = line;

	if (bare) {
		((struct mu_bare_line *)line)->record[i] =
			block->size << 16 | block->birth >> 36 << 10 | blocks_key(granule);
		return;
	}
	full->site[i] = block->site;
	full->size[i] = block->size | block->birth >> 22 << 48;
	full->tag[i] = (uint32_t)block->birth << 10 | blocks_key(granule);
}

/* blocks_read -- read record i of a line. Without call stacks it has a size and the
 * highest bits of its birth only. */
static inline void blocks_read(const void *line, unsigned int i, struct block *block,
			       const bool bare)
{
	const struct mu_line *full = line;

	if (bare) {
		uint64_t record = ((const struct mu_bare_line *)line)->record[i];
		*block = (struct block){ .size = record >> 16, .birth = MU_BARE_BIRTH(record) };
		return;
	}
	block->size = full->size[i] & BLOCK_SIZE_MASK;
	block->birth = full->size[i] >> 48 << 22 | full->tag[i] >> 10;
	block->site = full->site[i];
}

/* blocks_set_birth -- set bits, of the highest two, in the birth of record i of a line. */
static inline void blocks_set_birth(void *line, unsigned int i, uint64_t bits, const bool bare)
{
	if (bare)
		((struct mu_bare_line *)line)->record[i] |= bits >> 36 << 10;
	else
		((struct mu_line *)line)->size[i] |= bits >> 22 << 48;
}

/* blocks_clear -- read record i of a line into *block and make it unused. */
static inline void blocks_clear(void *line, unsigned int i, struct block *block, const bool bare)
{
	blocks_read(line, i, block, bare);
	if (bare)
		((struct mu_bare_line *)line)->record[i] = 0;
	else
		((struct mu_line *)line)->tag[i] = 0;
}

/* blocks_put -- add a block to the table.
 *
 * many     there is more than one thread.
 * Returns  false without memory for it (the caller counts that).
 * Async-signal-safe. Costs 2-4 ns with warm caches.
 */
static inline bool blocks_put(struct thread *thread, uint64_t address, const struct block *block,
			      bool many)
{
	uint64_t *word = blocks_word(thread, address, true);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	unsigned int i = likely(value) ? blocks_find_unused(&spot, bare) : BLOCKS_NONE;

	if (unlikely(i == BLOCKS_NONE)) {
		uint64_t grown = blocks_grow(thread, word, value, spot.granule, block);
		__atomic_store_n(word, grown ? grown : value, __ATOMIC_RELEASE);
		return grown != 0;
	}
	blocks_store(spot.line, i, spot.granule, block, bare);
	blocks_unlock(word, value, many);
	return true;
}

/* blocks_put_slow -- blocks_put(), not inlined. */
bool blocks_put_slow(struct thread *thread, uint64_t address, const struct block *block, bool many);

/* blocks_take -- remove a block from the table.
 *
 * block    set to its record if the table has it.
 * Returns  false if it does not. Async-signal-safe. Costs as much as blocks_put().
 */
static inline bool blocks_take(struct thread *thread, uint64_t address, struct block *block,
			       bool many)
{
	uint64_t *word = blocks_word(thread, address, false);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	unsigned int i = likely(value) ? blocks_find_known(&spot, bare) : BLOCKS_NONE;

	if (likely(i != BLOCKS_NONE))
		blocks_clear(spot.line, i, block, bare);
	blocks_unlock(word, value, many);
	return i != BLOCKS_NONE;
}

/* blocks_knows -- return whether the table has a block.
 *
 * Returns false, too, if its page is locked for longer than the bound (counted as a drop).
 * Async-signal-safe. Costs as much as blocks_take().
 */
static inline bool blocks_knows(struct thread *thread, uint64_t address, bool many)
{
	uint64_t *word = blocks_word(thread, address, false);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	bool is_there = value && blocks_find_known(&spot, bare) != BLOCKS_NONE;

	blocks_unlock(word, value, many);
	return is_there;
}

/* blocks_word_quick -- do blocks_word() by the thread's cache; NULL if it is not there. */
static inline uint64_t *blocks_word_quick(struct thread *thread, uint64_t address)
{
	const struct leaf_entry *entry = &thread->leaf[(address >> MU_LEAF_SHIFT) % LEAF_CACHE];

	if (unlikely(entry->key != address >> MU_LEAF_SHIFT))
		return NULL;
	return &entry->leaf[address >> 12 & 511];
}

/* blocks_lock_quick -- blocks_lock() without waiting. */
static inline bool blocks_lock_quick(uint64_t *word, uint64_t *value, const bool many)
{
	*value = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (!many)
		return true;
	uint64_t seen = *value & ~MU_PAGE_LOCK;
	*value = seen;
	return likely(__atomic_compare_exchange_n(word, &seen, seen | MU_PAGE_LOCK, false,
						  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

/* blocks_fetch_quick -- find the place for a block's record, and prefetch its line.
 *
 * The line that blocks_put_there() needs then comes while other work is done. With several threads
 * the result has no other use, because the page may change meanwhile.
 */
static inline __attribute__((always_inline)) struct blocks_spot
blocks_fetch_quick(struct thread *thread, uint64_t address, const bool bare)
{
	const uint64_t *word = blocks_word_quick(thread, address);

	if (unlikely(!word))
		return (struct blocks_spot){ .line = NULL };
	uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	__builtin_prefetch(spot.line, 1);
	if (!value)
		spot.line = NULL;
	return spot;
}

/* blocks_put_there -- blocks_put_quick() at the result of blocks_fetch_quick(), one thread. */
static inline __attribute__((always_inline)) bool
blocks_put_there(const struct blocks_spot *spot, const struct block *block, const bool bare)
{
	if (unlikely(!spot->line))
		return false;
	unsigned int i = blocks_find_unused(spot, bare);
	if (unlikely(i == BLOCKS_NONE))
		return false;
	blocks_store(spot->line, i, spot->granule, block, bare);
	return true;
}

/* blocks_put_quick -- blocks_put() if nothing has to be made, searched or waited for.
 *
 * bare      rec.has_bare_blocks, as a constant.
 * anywhere  use any record of the line, not only the preferred one. In a program that always uses
 *           the same blocks, two may prefer the same record for ever: half of sqlite3's do.
 * Returns false, having done nothing, in any other case. Calls nothing: functions that use it need
 * no stack frame.
 */
static inline __attribute__((always_inline)) bool
blocks_put_quick(struct thread *thread, uint64_t address, const struct block *block,
		 const bool many, const bool bare, const bool anywhere)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	bool ok = likely(value) && likely(!(blocks_tag(spot.line, spot.first, bare) & 1));
	if (anywhere && !ok && value) {
		spot.first = blocks_find_unused(&spot, bare);
		ok = spot.first != BLOCKS_NONE;
	}
	if (likely(ok))
		blocks_store(spot.line, spot.first, spot.granule, block, bare);
	blocks_unlock(word, value, many);
	return ok;
}

/* blocks_take_quick -- blocks_take() under the conditions of blocks_put_quick(). */
static inline __attribute__((always_inline)) bool
blocks_take_quick(struct thread *thread, uint64_t address, struct block *block, const bool many,
		  const bool bare, const bool anywhere)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	struct blocks_spot spot = blocks_spot_of(value, address, bare);
	bool ok = likely(value) && likely((blocks_tag(spot.line, spot.first, bare) &
					   BLOCK_TAG_KEY) == blocks_key(spot.granule));
	if (anywhere && !ok && value) {
		spot.first = blocks_find_known(&spot, bare);
		ok = spot.first != BLOCKS_NONE;
	}
	if (likely(ok))
		blocks_clear(spot.line, spot.first, block, bare);
	blocks_unlock(word, value, many);
	return ok;
}
