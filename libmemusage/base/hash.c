/* hash.c -- a hash table of 64-bit keys and values, in private memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/hash.h"

#include "libmemusage/base/memory.h"

#define ENTRY_BYTES (2 * sizeof(uint64_t))

bool hash_reserve(struct hash_table *table, unsigned int first_log2)
{
	struct hash_table bigger = { .log2 = table->key ? table->log2 + 1 : first_log2 };
	uint64_t size = table->key ? UINT64_C(1) << table->log2 : 0;

	if (table->used * 4 < size * 3)
		return true;
	bigger.key = memory_map(ENTRY_BYTES << bigger.log2);
	if (!bigger.key)
		return false;
	bigger.value = bigger.key + (UINT64_C(1) << bigger.log2);
	for (uint64_t i = 0; i < size; i++)
		if (table->key[i])
			hash_put(&bigger, table->key[i], table->value[i]);
	if (size)
		memory_unmap(table->key, ENTRY_BYTES * size);
	*table = bigger;
	return true;
}

void hash_put(struct hash_table *table, uint64_t key, uint64_t value)
{
	uint64_t i = hash_place(table, key);

	table->used += !table->key[i];
	table->key[i] = key;
	table->value[i] = value;
}

/* Moves later keys into the gap, so that look-ups need no marker there. */
static void close_gap_at(struct hash_table *table, uint64_t gap)
{
	uint64_t mask = (UINT64_C(1) << table->log2) - 1;

	for (uint64_t i = (gap + 1) & mask; table->key[i]; i = (i + 1) & mask) {
		uint64_t first = hash_spread(table->key[i]) >> (64 - table->log2);

		if (((i - first) & mask) < ((i - gap) & mask))
			continue;
		table->key[gap] = table->key[i];
		table->value[gap] = table->value[i];
		gap = i;
	}
	table->key[gap] = 0;
}

bool hash_remove(struct hash_table *table, uint64_t key, uint64_t *value)
{
	uint64_t i = table->key ? hash_place(table, key) : 0;

	if (!table->key || !table->key[i])
		return false;
	*value = table->value[i];
	close_gap_at(table, i);
	table->used--;
	return true;
}
