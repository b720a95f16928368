/* nested_roots.h -- Pointers of a root to what another root that is around it leads to already.
 *
 * A function passes its pointers on to those that it calls, and their frames have words in them
 * that are of no use any more. The outer frame has a block for longer, so it is what holds it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/graph/holding.h"

/* nested_roots_drop -- Finds the pointers that count.
 *
 * A pointer does not count if its root is nested, and another root of the nest that is further out
 * leads to its target by blocks of the same rank.
 *
 * rank  of each block of P, as holding_build() gives it.
 * Returns the root of each pointer of P, to be freed, HOLDING_NO_ROOT for one that does not count;
 * or NULL if no root is nested. Follows all blocks and pointers that a nest leads to, for each
 * nest; beyond 64 of them for each block of P all other pointers count.
 */
uint32_t *nested_roots_drop(const struct pointer_graph *p, const struct holding_roots *roots,
			    const uint8_t *rank);
