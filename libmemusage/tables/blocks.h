/* blocks.h -- the live-block table: address -> size, site, time of birth.
 *
 * Out of band: nothing is put before the program's blocks. The layout is in
 * docs/format.md section 5; `bare` tells which form the lines have. One block has one owner at
 * a time (remove before the real free, insert after the real malloc), so entries never race;
 * only the bucket of a page is shared, under the lock bit of its page word, which is used only
 * when the process has more than one thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_BLOCKS_H
#define LIBMEMUSAGE_TABLES_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * bare  nothing but sizes is to be known of blocks, sites and births read as 0: a third of the
 *       memory is touched. Kept in rec.has_bare_blocks.
 */
bool blocks_init(bool bare);

/* blocks_inherit -- in a forked child, after its image and thread have moved from `before`. */
void blocks_inherit(const uint8_t *before);

/* blocks_word_slow -- the page word of an address that the thread's cache does not know.
 *
 * make     create the leaf if there is none.
 * Returns  NULL if there is none, or none could be made. Async-signal-safe.
 */
uint64_t *blocks_word_slow(struct thread *thread, uint64_t address, bool make);

/* Pages that got their first bucket so far: while it stands still, pages without one have none. */
extern uint32_t blocks_pages;

/* blocks_leaf -- the leaf with the page words of an address.
 *
 * size     set to how many bytes of addresses, aligned to as many, the answer holds for.
 * Returns  NULL if there is none. Async-signal-safe.
 */
uint64_t *blocks_leaf(uint64_t address, uint64_t *size);

/* blocks_grow -- insert into a page whose bucket is missing or full.
 *
 * word   its page word, locked if there are many threads; old its value.
 * Returns the new value of the page word, or 0 if the arena is full (old stays valid).
 */
uint64_t blocks_grow(struct thread *thread, uint64_t *word, uint64_t old, uint32_t granule,
		     const struct block *block);

/* blocks_lock_slow -- wait for the lock bit of a page word.
 *
 * value    set to the word without the lock bit.
 * Returns  false if it was not got within the bound (counted as a drop).
 */
bool blocks_lock_slow(uint64_t *word, uint64_t *value);

/* blocks_word -- the page word of an address. As blocks_word_slow(). */
static inline uint64_t *blocks_word(struct thread *thread, uint64_t address, bool make)
{
	uint64_t key = address >> MU_LEAF_SHIFT;
	struct leaf_entry *entry = &thread->leaf[key % LEAF_CACHE];

	if (likely(entry->key == key))
		return &entry->leaf[address >> 12 & 511];
	return blocks_word_slow(thread, address, make);
}

/* blocks_lock -- read a page word, and take its lock if there are many threads. */
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

/* blocks_unlock -- store a page word, which gives back its lock. */
static inline void blocks_unlock(uint64_t *word, uint64_t value, bool many)
{
	if (many)
		__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* blocks_place -- where a granule's record lies by preference: counted from the bucket's first.
 *
 * Blocks of one page are evenly spaced, so most find their own place free, and again.
 */
static inline unsigned int blocks_place(uint64_t value, uint32_t granule, const bool bare)
{
	return granule * MU_PAGE_LINES(value) >> (bare ? 6 : 7);
}

/* blocks_bucket -- the bucket of a page. */
static inline uint8_t *blocks_bucket(uint64_t value)
{
	return (uint8_t *)((uint64_t)rec.buckets + MU_PAGE_BUCKET(value));
}

/* blocks_line -- the line of a place. */
static inline void *blocks_line(uint64_t value, unsigned int place, const bool bare)
{
	return blocks_bucket(value) + (size_t)(place >> (bare ? 3 : 2)) * 64;
}

/* blocks_granule -- which 8 bytes of its page an address is in, 0 to 511. */
static inline uint32_t blocks_granule(uint64_t address)
{
	return (uint32_t)(address >> MU_GRANULE_SHIFT) & 511;
}

/* blocks_key -- the masked tag of the record of a granule. */
static inline uint32_t blocks_key(uint32_t granule)
{
	return granule << 1 | 1;
}

/* blocks_tag -- what record i of a line says of granule and use, other bits above. */
static inline uint32_t blocks_tag(const void *line, unsigned int i, const bool bare)
{
	if (bare)
		return (uint32_t)((const struct mu_bare_line *)line)->record[i];
	return ((const struct mu_line *)line)->tag[i];
}

/* blocks_first -- the record of its line that a place names. */
static inline unsigned int blocks_first(unsigned int place, const bool bare)
{
	return place & (bare ? 7 : 3);
}

/* blocks_find -- index of the record of a line whose masked tag is `key`, BLOCKS_NONE if there
 * is none.
 *
 * first  the one to look at first.
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

/* blocks_store -- fill in record i of a line. */
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

/* blocks_read -- what record i of a line says. Without call stacks that is a size and marks. */
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

/* blocks_mark -- set bits of the birth of record i of a line: the highest two can be. */
static inline void blocks_mark(void *line, unsigned int i, uint64_t mark, const bool bare)
{
	if (bare)
		((struct mu_bare_line *)line)->record[i] |= mark >> 36 << 10;
	else
		((struct mu_line *)line)->size[i] |= mark >> 22 << 48;
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

/* blocks_put -- remember a block.
 *
 * many     there is more than one thread.
 * Returns  false if it could not be remembered (counted by the caller).
 * Async-signal-safe. Cost 2-4 ns hot.
 */
static inline bool blocks_put(struct thread *thread, uint64_t address, const struct block *block,
			      bool many)
{
	uint64_t *word = blocks_word(thread, address, true);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);
	void *line = blocks_line(value, place, bare);
	unsigned int i = BLOCKS_NONE;

	if (likely(value))
		i = blocks_find(line, blocks_first(place, bare), 1, 0, bare);
	if (unlikely(i == BLOCKS_NONE)) {
		uint64_t grown = blocks_grow(thread, word, value, granule, block);
		__atomic_store_n(word, grown ? grown : value, __ATOMIC_RELEASE);
		return grown != 0;
	}
	blocks_store(line, i, granule, block, bare);
	blocks_unlock(word, value, many);
	return true;
}

/* blocks_put_slow -- blocks_put() by a call. */
bool blocks_put_slow(struct thread *thread, uint64_t address, const struct block *block, bool many);

/* blocks_take -- forget a block and say what was known about it.
 *
 * block    filled if the block was known.
 * Returns  false if it is foreign. Async-signal-safe. Cost as blocks_put().
 */
static inline bool blocks_take(struct thread *thread, uint64_t address, struct block *block,
			       bool many)
{
	uint64_t *word = blocks_word(thread, address, false);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);
	void *line = blocks_line(value, place, bare);
	unsigned int i = BLOCKS_NONE;

	if (likely(value))
		i = blocks_find(line, blocks_first(place, bare), BLOCK_TAG_KEY,
				blocks_key(granule), bare);
	if (likely(i != BLOCKS_NONE))
		blocks_clear(line, i, block, bare);
	blocks_unlock(word, value, many);
	return i != BLOCKS_NONE;
}

/* blocks_knows -- whether a block is in the table, which stays as it is.
 *
 * Returns false, too, if its page is locked for longer than the bound (counted as a drop).
 * Async-signal-safe. Cost as blocks_take().
 */
static inline bool blocks_knows(struct thread *thread, uint64_t address, bool many)
{
	uint64_t *word = blocks_word(thread, address, false);
	uint64_t value;

	if (unlikely(!word) || !blocks_lock(word, &value, many))
		return false;
	const bool bare = rec.has_bare_blocks;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);
	bool is_there = value && blocks_find(blocks_line(value, place, bare),
					     blocks_first(place, bare), BLOCK_TAG_KEY,
					     blocks_key(granule), bare) != BLOCKS_NONE;

	blocks_unlock(word, value, many);
	return is_there;
}

/* blocks_word_quick -- the page word of an address if the thread's cache knows it, or NULL. */
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

/* Where a block's record will go. */
struct blocks_spot {
	void *line; /* NULL: not known */
	uint32_t granule;
	unsigned int first; /* the record to look at first */
};

/* blocks_fetch_quick -- find where a block's record will go, and have its line brought.
 *
 * What blocks_put_there() would wait for can then come while something else is done. With several
 * threads the answer is good for nothing else: the page may be changed meanwhile.
 */
static inline __attribute__((always_inline)) struct blocks_spot
blocks_fetch_quick(struct thread *thread, uint64_t address, const bool bare)
{
	const uint64_t *word = blocks_word_quick(thread, address);
	struct blocks_spot spot = { .line = NULL };

	if (unlikely(!word))
		return spot;
	uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
	spot.granule = blocks_granule(address);
	unsigned int place = blocks_place(value, spot.granule, bare);
	spot.first = blocks_first(place, bare);
	void *line = blocks_line(value, place, bare);
	__builtin_prefetch(line, 1);
	spot.line = value ? line : NULL;
	return spot;
}

/* blocks_put_there -- blocks_put_quick() with the answer of blocks_fetch_quick(), one thread. */
static inline __attribute__((always_inline)) bool
blocks_put_there(const struct blocks_spot *spot, const struct block *block, const bool bare)
{
	if (unlikely(!spot->line))
		return false;
	unsigned int i = blocks_find(spot->line, spot->first, 1, 0, bare);
	if (unlikely(i == BLOCKS_NONE))
		return false;
	blocks_store(spot->line, i, spot->granule, block, bare);
	return true;
}

/* blocks_put_quick -- blocks_put() where nothing has to be made, searched or waited for.
 *
 * bare      rec.has_bare_blocks, as a constant.
 * anywhere  any record of the line will do. In a program that always uses the same blocks two may
 *           want the same one for ever: half of sqlite3's. Else only the one that is preferred.
 * Returns false, having done nothing, if something has. Calls nothing: functions that use it
 * need no stack frame.
 */
static inline __attribute__((always_inline)) bool
blocks_put_quick(struct thread *thread, uint64_t address, const struct block *block,
		 const bool many, const bool bare, const bool anywhere)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);
	unsigned int first = blocks_first(place, bare);
	void *line = blocks_line(value, place, bare);
	bool ok = likely(value) && likely(!(blocks_tag(line, first, bare) & 1));
	if (anywhere && !ok && value) {
		first = blocks_find(line, first, 1, 0, bare);
		ok = first != BLOCKS_NONE;
	}
	if (likely(ok))
		blocks_store(line, first, granule, block, bare);
	blocks_unlock(word, value, many);
	return ok;
}

/* blocks_take_quick -- blocks_take() under the same conditions. */
static inline __attribute__((always_inline)) bool
blocks_take_quick(struct thread *thread, uint64_t address, struct block *block, const bool many,
		  const bool bare, const bool anywhere)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule, bare);
	unsigned int first = blocks_first(place, bare);
	void *line = blocks_line(value, place, bare);
	bool ok = likely(value) &&
		  likely((blocks_tag(line, first, bare) & BLOCK_TAG_KEY) == blocks_key(granule));
	if (anywhere && !ok && value) {
		first = blocks_find(line, first, BLOCK_TAG_KEY, blocks_key(granule), bare);
		ok = first != BLOCKS_NONE;
	}
	if (likely(ok))
		blocks_clear(line, first, block, bare);
	blocks_unlock(word, value, many);
	return ok;
}

#endif
