/* holders.h -- What holds the live blocks of a process at one moment, in a recording;
 * docs/format.md, section 16.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum mu_holder_root_kind {
	MU_HOLDER_GLOBAL = 0,	 /* a variable of an object; without a name: all that have none */
	MU_HOLDER_TLS = 1,	 /* the same in thread-local storage */
	MU_HOLDER_MAPPING = 2,	 /* private memory that is no heap */
	MU_HOLDER_SHARED = 3,	 /* shared memory, or a mapped file */
	MU_HOLDER_STACK = 4,	 /* a frame of a thread, with the registers it has */
	MU_HOLDER_LOST = 5,	 /* no pointer from outside of blocks leads to these */
	MU_HOLDER_ROOT_KINDS = 6
};

/* Something outside of blocks that has pointers to them. */
struct mu_holder_root {
	uint16_t kind;	  /* enum mu_holder_root_kind */
	uint16_t reserved;
	uint32_t name;	  /* of the variable or the function, as its object has it; texts are
			   * offsets in the text, and 0 is none */
	uint32_t object;  /* path of the program, the library or the file */
	uint32_t thread;  /* number, 0 none */
	uint64_t address; /* of the variable, the mapping or the code in the frame; 0 unknown */
	uint64_t size;	  /* in bytes, 0 unknown */
};

enum {
	MU_HOLDER_SET_MOST = 4,
	MU_HOLDER_NODES_MOST = 4096 /* of a tree, each for itself; as many may be a REST */
};

/* Several roots that hold the same blocks. */
struct mu_holder_set {
	uint32_t count; /* MU_HOLDER_SET_MOST + 1: more than root[] has room for, which is empty */
	uint32_t root[MU_HOLDER_SET_MOST]; /* ascending */
};

enum mu_holder_node_kind {
	MU_HOLDER_ALL = 0,  /* node 0 of a tree, its root */
	MU_HOLDER_ROOT = 1, /* `what` is a root; a child of node 0 */
	MU_HOLDER_SET = 2,  /* ... a set of roots; a child of node 0 */
	MU_HOLDER_SITE = 3, /* ... a site: its blocks */
	MU_HOLDER_REST = 4  /* small nodes below the parent, whatever they are */
};

struct mu_holder_node {
	uint32_t parent; /* a smaller number; 0 of node 0 */
	uint32_t kind;	 /* enum mu_holder_node_kind */
	uint32_t what;
	uint32_t reserved;
	uint64_t bytes;	 /* of its own blocks, without those below it */
	uint64_t blocks;
};

/* The C++ class of most blocks of a site that were looked at. */
struct mu_holder_type {
	uint32_t site;
	uint32_t name; /* text, as in its type_info: "4Item" */
};

enum mu_holders_flag {
	MU_HOLDERS_AT_END = 1,	/* the process was about to end */
	MU_HOLDERS_CUT = 2,	/* some memory could not be read: blocks may seem lost */
	MU_HOLDERS_ON_DEMAND = 4, /* a client asked for it */
	MU_HOLDERS_LINKS_CUT = 8 /* links with fewer pointers are left out */
};

/* Pointers that hold, from a root or from the blocks of a site to blocks of a site. The tables
 * before them may have any number of words, so they are aligned as those. */
struct mu_holder_link {
	uint32_t kind;	   /* of `from`: MU_HOLDER_ROOT or MU_HOLDER_SITE */
	uint32_t from, to; /* `to` is a site */
	uint32_t reserved;
	uint64_t pointers;
} __attribute__((packed, aligned(4)));

/* Results of one process form a chain, the last moment first. */
struct mu_holders {
	uint64_t bytes;	   /* of this and the tables behind it, in the order of the counts */
	uint64_t next;	   /* offset of the result before this one, 0 none */
	uint64_t mono_ns;  /* CLOCK_MONOTONIC at the moment */
	uint64_t pause_ns; /* that the process stood still */
	uint32_t flags;	   /* enum mu_holders_flag */
	uint32_t roots, sets, retained, via, types; /* retained, via: nodes of the two trees */
	uint32_t text;	   /* bytes of zero-terminated texts; the first one is empty */
	uint32_t links;	   /* their table is the last one before the texts */
};

_Static_assert(sizeof(struct mu_holder_root) == 32, "mu_holder_root is part of the format");
_Static_assert(sizeof(struct mu_holder_set) == 20, "mu_holder_set is part of the format");
_Static_assert(sizeof(struct mu_holder_node) == 32, "mu_holder_node is part of the format");
_Static_assert(sizeof(struct mu_holder_type) == 8, "mu_holder_type is part of the format");
_Static_assert(sizeof(struct mu_holder_link) == 24, "mu_holder_link is part of the format");
_Static_assert(sizeof(struct mu_holders) == 64, "mu_holders is part of the format");
