/* moved.h -- Finds the stacks that one side has at another place in the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/compare/call_trie.h"

/* How the memory of a node was found on the other side. */
enum match {
	MATCH_NONE,	/* it was not */
	MATCH_PATH,	/* the same functions */
	MATCH_FOLDED,	/* the same without functions that the other build does not have: inlined,
			 * split, called by a jump */
	MATCH_MOVED	/* the same allocating function, below mostly the same callers */
};

/* moved_find -- Decides for each node at which stacks end where their memory is shown.
 *
 * to     by node: the node that stands for it in the comparison; itself, if it has nothing in
 *	  common with another. If stacks belong together, that is the one of the new build.
 * match  by the node in TO: how both sides of it were found.
 * Both are allocated, t->count entries at the return; the caller frees them. The function may add
 * nodes to T, as a common place of several stacks.
 * Cost: sorting the nodes, and for each function that allocates at most 200 x 200 comparisons of
 * stacks that only one side has.
 */
void moved_find(struct call_trie *t, uint32_t **to, uint8_t **match);
