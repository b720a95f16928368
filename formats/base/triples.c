/* triples.c -- Set of triples of numbers, each with a number of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/triples.h"

#include <stdlib.h>

#include "profile/base/array.h"

uint32_t triples_add(struct triples *t, uint32_t a, uint32_t b, uint32_t c)
{
	const struct triple key = { a, b, c };
	uint32_t number;

	array_reserve(&t->triple, &t->room, (size_t)t->count + 1, sizeof(*t->triple));
	number = wordmap_add(&t->map, t->triple, 3, &key.a, t->count);
	if (number == t->count)
		t->triple[t->count++] = key;
	return number;
}

void triples_free(struct triples *t)
{
	free(t->triple);
	wordmap_free(&t->map);
	*t = (struct triples){ .count = 0 };
}
