/* blocks.h -- the live-block table: address -> size, site, time of birth.
 *
 * Out of band: nothing is put before the program's blocks. The layout is in
 * docs/format.md section 5. One block has one owner at a time (remove before the real
 * free, insert after the real malloc), so entries never race; only the bucket of a page is
 * shared, under the lock bit of its page word, which is used only when the process has more
 * than one thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BLOCKS_H
#define LIBMEMUSAGE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/recorder.h"
#include "libmemusage/thread.h"

#define BLOCK_SIZE_MASK ((UINT64_C(1) << 48) - 1)
#define BLOCK_TAG_KEY 0x3ffu /* used bit and granule */

struct block {
	uint64_t size; /* bytes requested */
	uint64_t birth;
	uint32_t site;
};

/* blocks_init -- make the empty table of a new image. Returns false if the arena is full. */
bool blocks_init(void);

/* blocks_word_slow -- the page word of an address that the thread's cache does not know.
 *
 * make     create the leaf if there is none.
 * Returns  NULL if there is none, or none could be made. Async-signal-safe.
 */
uint64_t *blocks_word_slow(struct thread *thread, uint64_t address, bool make);

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

/* blocks_place -- where a granule's record lies by preference: line * 4 + record.
 *
 * Blocks of one page are evenly spaced, so most find their own place free, and again.
 */
static inline unsigned int blocks_place(uint64_t value, uint32_t granule)
{
	return granule * MU_PAGE_LINES(value) >> 7;
}

/* blocks_line -- the line of a place. */
static inline struct mu_line *blocks_line(uint64_t value, unsigned int place)
{
	return (struct mu_line *)at(MU_PAGE_BUCKET(value)) + (place >> 2);
}

/* blocks_find -- index of the record of a line whose masked tag is `key`, 4 if there is none.
 *
 * first  the one to look at first.
 */
static inline unsigned int blocks_find(const struct mu_line *line, unsigned int first,
				       uint32_t mask, uint32_t key)
{
	if (likely((line->tag[first] & mask) == key))
		return first;
	for (unsigned int i = 0; i < 4; i++)
		if ((line->tag[i] & mask) == key)
			return i;
	return 4;
}

/* blocks_granule -- which 8 bytes of its page an address is in, 0 to 511. */
static inline uint32_t blocks_granule(uint64_t address)
{
	return (uint32_t)(address >> MU_GRANULE_SHIFT) & 511;
}

/* blocks_store -- fill in record i of a line. */
static inline void blocks_store(struct mu_line *line, unsigned int i, uint32_t granule,
				const struct block *block)
{
	line->site[i] = block->site;
	line->size[i] = block->size | block->birth >> 22 << 48;
	line->tag[i] = (uint32_t)block->birth << 10 | granule << 1 | 1;
}

/* blocks_clear -- read record i of a line into *block and make it unused. */
static inline void blocks_clear(struct mu_line *line, unsigned int i, struct block *block)
{
	block->size = line->size[i] & BLOCK_SIZE_MASK;
	block->birth = line->size[i] >> 48 << 22 | line->tag[i] >> 10;
	block->site = line->site[i];
	line->tag[i] = 0;
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
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule);
	struct mu_line *line = blocks_line(value, place);
	unsigned int i = likely(value) ? blocks_find(line, place & 3, 1, 0) : 4;

	if (unlikely(i == 4)) {
		uint64_t grown = blocks_grow(thread, word, value, granule, block);
		__atomic_store_n(word, grown ? grown : value, __ATOMIC_RELEASE);
		return grown != 0;
	}
	blocks_store(line, i, granule, block);
	blocks_unlock(word, value, many);
	return true;
}

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
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule);
	struct mu_line *line = blocks_line(value, place);
	unsigned int i = 4;

	if (likely(value))
		i = blocks_find(line, place & 3, BLOCK_TAG_KEY, granule << 1 | 1);
	if (likely(i < 4))
		blocks_clear(line, i, block);
	blocks_unlock(word, value, many);
	return i < 4;
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

/* blocks_put_quick -- blocks_put() where nothing has to be made, searched or waited for.
 *
 * Returns false, having done nothing, if something has. Calls nothing: functions that use it
 * need no stack frame.
 */
static inline __attribute__((always_inline)) bool
blocks_put_quick(struct thread *thread, uint64_t address, const struct block *block,
		 const bool many)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule);
	struct mu_line *line = blocks_line(value, place);
	bool ok = likely(value) && likely(!(line->tag[place & 3] & 1));
	if (likely(ok))
		blocks_store(line, place & 3, granule, block);
	blocks_unlock(word, value, many);
	return ok;
}

/* blocks_take_quick -- blocks_take() under the same conditions. */
static inline __attribute__((always_inline)) bool
blocks_take_quick(struct thread *thread, uint64_t address, struct block *block, const bool many)
{
	uint64_t *word = blocks_word_quick(thread, address);
	uint64_t value;

	if (unlikely(!word) || unlikely(!blocks_lock_quick(word, &value, many)))
		return false;
	uint32_t granule = blocks_granule(address);
	unsigned int place = blocks_place(value, granule);
	struct mu_line *line = blocks_line(value, place);
	bool ok = likely(value) &&
		  likely((line->tag[place & 3] & BLOCK_TAG_KEY) == (granule << 1 | 1));
	if (likely(ok))
		blocks_clear(line, place & 3, block);
	blocks_unlock(word, value, many);
	return ok;
}

#endif
