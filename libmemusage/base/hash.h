/* hash.h -- a hash table of 64-bit keys and values, in private memory.
 *
 * Open addressing; the values follow all keys, because most look-ups end at a key. Nothing here
 * locks: the caller does. All functions are async-signal-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty, without memory. */
struct hash_table {
	uint64_t *key; /* 0: unused */
	uint64_t *value;
	uint64_t used;
	unsigned int log2;
};

/* hash_spread -- return a number whose high bits depend on all bits of VALUE. */
static inline uint64_t hash_spread(uint64_t value)
{
	return value * UINT64_C(0x9E3779B97F4A7C15);
}

/* hash_place -- return the index of a key, or the unused one where it belongs.
 *
 * table  has memory; key is not 0.
 */
static inline uint64_t hash_place(const struct hash_table *table, uint64_t key)
{
	uint64_t mask = (UINT64_C(1) << table->log2) - 1;
	uint64_t i = hash_spread(key) >> (64 - table->log2);

	while (table->key[i] && table->key[i] != key)
		i = (i + 1) & mask;
	return i;
}

/* hash_find -- return the value of a key, NULL if the table does not have it.
 *
 * The value belongs to the table, and moves with the next hash_reserve() or hash_remove().
 */
static inline const uint64_t *hash_find(const struct hash_table *table, uint64_t key)
{
	uint64_t i = table->key ? hash_place(table, key) : 0;

	return table->key && table->key[i] ? &table->value[i] : NULL;
}

/* hash_reserve -- make room for one more key.
 *
 * first_log2  the logarithm of the size of a table without memory. Sizes double at 3/4.
 * Returns false, and changes nothing, without memory.
 */
bool hash_reserve(struct hash_table *table, unsigned int first_log2);

/* hash_put -- set the value of a key, not 0, after hash_reserve(). */
void hash_put(struct hash_table *table, uint64_t key, uint64_t value);

/* hash_remove -- remove a key that the table may have.
 *
 * value    set to its value.
 * Returns  false if the table does not have it.
 */
bool hash_remove(struct hash_table *table, uint64_t key, uint64_t *value);
