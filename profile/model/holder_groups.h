/* holder_groups.h -- Threads that hold blocks by the same function or variable, as one.
 *
 * A thousand worker threads are a thousand roots, each too small for a line. Here the frames of one
 * function, and the instances of one thread-local variable, are a group if four threads or more
 * have them at any moment; its first root stands for all of them. A set of roots that are all in
 * one group belongs to it, and sets that differ in the thread only are one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/holder_names.h"
#include "profile/read/holders.h"

/* The group that a root belongs to. */
struct holder_group {
	uint32_t number;  /* the same at all moments; 0: the root is in no group */
	uint32_t first;	  /* root that stands for the group at this moment, or the root itself */
	uint32_t threads; /* of that root only: of the group at this moment */
	bool has_lines;	  /* ... they are at different lines of the function */
	uint64_t least, most; /* ... bytes that one of its roots retains alone */
};

/* The group that a set belongs to. */
struct holder_set_group {
	uint32_t first; /* set that stands for it, or the set itself */
	uint32_t sets;	/* of that set only: how many it stands for */
	bool is_inner;	/* all its roots are in one group */
	uint32_t root;	/* ... that one's first */
};

/* The groups of some moments. */
struct holder_groups {
	struct holder_group *group;   /* per root, all of a moment before those of the next */
	struct holder_set_group *set; /* per set, likewise */
	uint32_t *first_root, *first_set; /* per moment */
};

/* holder_groups_find -- Finds the groups of COUNT moments H, with their names N. */
void holder_groups_find(struct holder_groups *g, const struct holders *h, uint32_t count,
			const struct holder_names *n);

/* holder_groups_of_root -- Returns what a root of a moment belongs to. */
const struct holder_group *holder_groups_of_root(const struct holder_groups *g, uint32_t moment,
						 uint32_t root);

/* holder_groups_of_set -- Returns what a set of a moment belongs to. */
const struct holder_set_group *holder_groups_of_set(const struct holder_groups *g, uint32_t moment,
						    uint32_t set);

/* holder_groups_fold -- Writes a tree of a moment with one node for each group.
 *
 * node   COUNT of them, one of the trees of that moment.
 * to     overwritten; room for COUNT. Sums stay the same.
 * Returns how many there are.
 */
uint32_t holder_groups_fold(const struct holder_groups *g, uint32_t moment,
			    const struct mu_holder_node *node, uint32_t count,
			    struct mu_holder_node *to);

/* holder_groups_free -- Releases everything. Accepts a zeroed struct. */
void holder_groups_free(struct holder_groups *g);
