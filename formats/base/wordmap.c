/* wordmap.c -- A hash table that finds the entries of an array by their words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/wordmap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { FIRST_SLOTS = 512 };

/* The address of the table differs in every run and goes into the hash: no file can be crafted
 * whose numbers collide. */
static uint32_t hash_words(const struct wordmap *m, const uint32_t *word, unsigned int words)
{
	const uint64_t secret = (uintptr_t)m->slot;
	uint64_t hash = secret;

	for (unsigned int i = 0; i < words; i++) {
		unsigned __int128 product = hash ^ word[i];

		product *= UINT64_C(0x9E3779B97F4A7C15) + 2 * secret;
		hash = (uint64_t)product ^ (uint64_t)(product >> 64);
	}
	return (uint32_t)(hash >> 32);
}

static const uint32_t *entry_at_number(const void *entries, unsigned int words, uint32_t number)
{
	return (const uint32_t *)entries + (size_t)number * words;
}

/* Returns the slot of an entry, or the empty one for it. */
static uint32_t *find_slot(const struct wordmap *m, const void *entries, unsigned int words,
			   const uint32_t *key)
{
	uint32_t at = hash_words(m, key, words) & m->mask;

	while (m->slot[at] && memcmp(entry_at_number(entries, words, m->slot[at] - 1), key,
				     words * sizeof(*key)) != 0)
		at = (at + 1) & m->mask;
	return &m->slot[at];
}

static void grow_slots(struct wordmap *m, const void *entries, unsigned int words)
{
	uint32_t slots = m->slot ? 2 * (m->mask + 1) : FIRST_SLOTS;
	struct wordmap larger = { .slot = xcalloc(slots, sizeof(*larger.slot)),
				  .mask = slots - 1, .used = m->used };

	for (uint32_t i = 0; m->slot && i <= m->mask; i++)
		if (m->slot[i])
			*find_slot(&larger, entries, words,
				   entry_at_number(entries, words, m->slot[i] - 1)) = m->slot[i];
	free(m->slot);
	*m = larger;
}

uint32_t wordmap_add(struct wordmap *m, const void *entries, unsigned int words,
		     const uint32_t *key, uint32_t next)
{
	uint32_t *slot;

	if (!m->slot || m->used > m->mask / 2)
		grow_slots(m, entries, words);
	slot = find_slot(m, entries, words, key);
	if (*slot == 0) {
		*slot = next + 1;
		m->used++;
	}
	return *slot - 1;
}

void wordmap_free(struct wordmap *m)
{
	free(m->slot);
	*m = (struct wordmap){ .used = 0 };
}
