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

typedef uint64_t two_tags __attribute__((may_alias));

/* blocks_init -- make the empty table of a new image. Returns false if the arena is full. */
bool blocks_init(void);

/* blocks_word_slow -- the page word of an address that the thread's cache does not know.
 *
 * make     create the leaf if there is none.
 * Returns  NULL if there is none, or none could be made. Async-signal-safe.
 */
uint64_t *blocks_word_slow(struct thread *thread, uint64_t address, bool make);

/* blocks_grow -- insert into a page whose bucket is missing or full.
 *
 * word   its page word, locked if there are many threads; old its value.
 * tag, site, size  the new record.
 * Returns the new value of the page word, or 0 if the arena is full (old stays valid).
 */
uint64_t blocks_grow(struct thread *thread, uint64_t *word, uint64_t old, uint32_t tag,
		     uint32_t site, uint64_t size);

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

/* blocks_free_tag -- index of an unused record of a line, 4 if it is full. */
static inline unsigned int blocks_free_tag(const struct mu_line *line)
{
	const uint64_t used = UINT64_C(0x0000000100000001);
	uint64_t low = ~*(const two_tags *)&line->tag[0] & used;
	uint64_t high = ~*(const two_tags *)&line->tag[2] & used;

	if (likely(low))
		return !(low & 1);
	if (likely(high))
		return 2 + !(high & 1);
	return 4;
}

/* blocks_line -- the line of a bucket that a granule belongs to. */
static inline struct mu_line *blocks_line(uint64_t value, uint32_t granule)
{
	return (struct mu_line *)at(MU_PAGE_BUCKET(value)) + (granule * MU_PAGE_LINES(value) >> 9);
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
	uint32_t granule = (uint32_t)(address >> MU_GRANULE_SHIFT) & 511;
	uint32_t tag = (uint32_t)block->birth << 10 | granule << 1 | 1;
	uint64_t size = block->size | block->birth >> 22 << 48;
	struct mu_line *line = blocks_line(value, granule);
	unsigned int i = likely(MU_PAGE_LINES(value)) ? blocks_free_tag(line) : 4;

	if (unlikely(i == 4)) {
		uint64_t grown = blocks_grow(thread, word, value, tag, block->site, size);
		__atomic_store_n(word, grown ? grown : value, __ATOMIC_RELEASE);
		return grown != 0;
	}
	line->site[i] = block->site;
	line->size[i] = size;
	line->tag[i] = tag;
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
	uint32_t granule = (uint32_t)(address >> MU_GRANULE_SHIFT) & 511;
	uint32_t key = granule << 1 | 1;
	struct mu_line *line = blocks_line(value, granule);
	unsigned int i = 0;

	if (likely(MU_PAGE_LINES(value)))
		while (i < 4 && (line->tag[i] & BLOCK_TAG_KEY) != key)
			i++;
	else
		i = 4;
	if (likely(i < 4)) {
		block->size = line->size[i] & BLOCK_SIZE_MASK;
		block->birth = line->size[i] >> 48 << 22 | line->tag[i] >> 10;
		block->site = line->site[i];
		line->tag[i] = 0;
	}
	blocks_unlock(word, value, many);
	return i < 4;
}

#endif
