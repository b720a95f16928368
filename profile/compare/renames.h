/* renames.h -- Finds functions that have another name in the new build.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/compare/call_trie.h"

/* renames_find -- Pairs functions that only one side has.
 *
 * A pair has the same callers and callees, of those that both sides know, at least in half of the
 * cases, and either a name that is alike or nearly as many blocks or bytes. The best of several
 * candidates is taken, if each of the two is the best for the other. At most 400 functions of each
 * side, with most bytes, are looked at.
 *
 * alias  by key, as call_trie_rename() takes it; overwritten.
 * Returns how many keys have another one there.
 */
uint32_t renames_find(const struct call_trie *t, const struct compare_side side[SIDES],
		      uint32_t *alias);
