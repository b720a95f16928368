/* snapshot_memory.c -- The memory of a snapshot, for the heuristics of leak checks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/snapshot_memory.h"

static unsigned int read_words(void *data, uint64_t address, uint64_t *word, unsigned int count)
{
	const struct snapshot *s = data;

	return (unsigned int)(address_space_read(&s->space, address, word, count * 8) / 8);
}

static bool is_code(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_CODE && a->flags & AREA_FILE;
}

static bool is_file(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_FILE;
}

struct leak_memory snapshot_memory(const struct snapshot *s)
{
	return (struct leak_memory){ (void *)(uintptr_t)s, read_words, is_code, is_file };
}
