/* similar.h -- Find the word that the user may have meant.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* similar_limit -- Returns the distance from which on a name is not like a word of LENGTH letters:
 * it may differ in at most two letters, and in a third of them. */
unsigned int similar_limit(size_t length);

/* similar_distance -- Returns the number of letters to add, drop, replace or swap with a neighbour
 * to get NAME from the first LENGTH letters of WORD; 99 for words that are too long to compare. */
unsigned int similar_distance(const char *word, size_t length, const char *name);
