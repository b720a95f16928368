/* call_trie.h -- The call stacks of two builds in one tree, from the outermost function inward.
 *
 * A node is a function with its callers. Functions are known by keys, which both builds share, so a
 * stack of both is one path, however its lines moved. Inlined calls are nodes like any others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/strings.h"
#include "profile/compare/side.h"

#define CALL_NONE UINT32_MAX

/* A level of a location of a side. */
struct call_place {
	uint32_t location;	/* CALL_NONE: not there */
	uint32_t level;
	bool has_lines;		/* other lines of the same function are here too */
};

/* A function, or an address of a module that both sides have the same build of. */
struct call_key {
	struct call_place place[SIDES];	/* one of those that have it */
	bool is_exact;		/* an address, with all its levels */
	bool is_nameless;	/* all functions of a module that have no name */
	uint32_t module;	/* number of the module's text in the pool of keys */
	uint64_t bytes[SIDES];	/* of all stacks with it; a stack that repeats it counts again */
};

struct call_node {
	uint32_t parent;	/* smaller than its own number; the root's is 0 */
	uint32_t key;
	struct call_place place[SIDES];
	bool ends[SIDES];	/* a stack ends here */
	uint64_t bytes[SIDES], blocks[SIDES];	/* of those stacks */
};

struct call_trie {
	struct strings keys;	/* a key's text; its number is the key */
	struct call_key *key;	/* by number; the first stands for nothing */
	struct call_node *node;	/* [0] is the root: what has no stack ends there */
	uint32_t count;
	uint32_t *end[SIDES];	/* by site: its node, CALL_NONE if the filter ignores it */
	/* private */
	uint32_t key_room, room;
	uint32_t *slot;		/* hash table: number of a node or 0 */
	uint32_t slot_mask;
	struct location_keys {
		uint32_t *first;	/* by location: of its innermost level in key */
		uint32_t *key;
	} of[SIDES];
};

/* call_trie_init -- Makes the keys of both sides and enters all their stacks.
 *
 * side  borrowed until call_trie_free().
 * Cost O(names + frames of all stacks), 72 bytes for each different caller.
 */
void call_trie_init(struct call_trie *t, const struct compare_side side[SIDES]);

/* call_trie_rename -- Enters all stacks again; in the old ones each key becomes alias[key].
 *
 * alias  by key; a key that stays is its own.
 * Numbers of nodes are other ones then.
 */
void call_trie_rename(struct call_trie *t, const struct compare_side side[SIDES],
		      const uint32_t *alias);

/* call_trie_child -- Returns the node of a function that PARENT calls, a new one if necessary. */
uint32_t call_trie_child(struct call_trie *t, uint32_t parent, uint32_t key);

/* call_trie_is_on_side -- Tells whether a stack of a side has a key. */
bool call_trie_is_on_side(const struct call_trie *t, uint32_t key, enum side side);

/* call_trie_free -- Releases everything. */
void call_trie_free(struct call_trie *t);
