/* wordmap.h -- A hash table that finds the entries of an array by their words.
 *
 * The array is its owner's: entries of the same number of uint32_t each, whose equality is
 * identity.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Zeroed, it is empty. The fields are private. */
struct wordmap {
	uint32_t *slot;		/* number of an entry, plus 1; 0: free */
	uint32_t mask, used;
};

/* wordmap_add -- Finds the entry that equals KEY, or makes a new one known.
 *
 * entries  the array; all that was made known is in it.
 * words    of an entry, and of KEY.
 * next     number of the new entry: the caller then stores KEY there.
 * Returns the number, NEXT for a new entry.
 */
uint32_t wordmap_add(struct wordmap *m, const void *entries, unsigned int words,
		     const uint32_t *key, uint32_t next);

/* wordmap_free -- Releases everything; the map is empty then. */
void wordmap_free(struct wordmap *m);
