/* triples.c -- Set of triples of numbers, each with a number of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/triples.h"

#include <stdbool.h>
#include <stdlib.h>

/* The address of the table differs in every run and goes into the hash: no file can be crafted
 * whose numbers collide. */
static uint32_t hash_triple(const struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t secret = (uintptr_t)t->slot;
	unsigned __int128 hash = ((uint64_t)a << 32 | b) ^ secret;

	hash *= UINT64_C(0x9E3779B97F4A7C15) + 2 * secret;
	hash = (uint64_t)hash ^ (uint64_t)(hash >> 64) ^ c;
	hash *= UINT64_C(0xD6E8FEB86659FD93) + 2 * secret;
	return (uint32_t)(hash >> 48);
}

static bool grow_triple_table(struct triples *t)
{
	uint32_t room = t->room ? t->room * 2 : 256;
	struct triple *triple = reallocarray(t->triple, room, sizeof(*triple));
	uint32_t *slot;

	if (!triple)
		return false;
	t->triple = triple;
	slot = calloc((size_t)room * 2, sizeof(*slot));
	if (!slot)
		return false;
	free(t->slot);
	t->room = room;
	t->slot = slot;
	t->slots = room * 2;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t at =
			hash_triple(t, triple[i].a, triple[i].b, triple[i].c) & (t->slots - 1);

		while (slot[at])
			at = (at + 1) & (t->slots - 1);
		slot[at] = i + 1;
	}
	return true;
}

uint32_t triples_add(struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t at;

	if (t->count == t->room && !grow_triple_table(t))
		return TRIPLES_NONE;
	at = hash_triple(t, a, b, c) & (t->slots - 1);
	for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
		const struct triple *known = &t->triple[t->slot[at] - 1];

		if (known->a == a && known->b == b && known->c == c)
			return t->slot[at] - 1;
	}
	t->triple[t->count] = (struct triple){ a, b, c };
	t->slot[at] = ++t->count;
	return t->count - 1;
}

void triples_free(struct triples *t)
{
	free(t->triple);
	free(t->slot);
	*t = (struct triples){ .count = 0 };
}
