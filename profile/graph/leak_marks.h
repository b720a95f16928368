/* leak_marks.h -- How each block can be reached: the four kinds of Memcheck's leak check.
 *
 * *Still reachable*: by a chain of start pointers from a root. *Possibly lost*: reached, but each
 * chain has an interior pointer. *Definitely lost*: not reached, also not through another lost
 * block. *Indirectly lost*: not reached, but another lost block, the *leader* of its group, leads
 * to it. Leaders are found in the order of addresses, so of a lost cycle the block with the lowest
 * address is one.
 *
 * An interior pointer counts as a start pointer where a *heuristic* explains it: C++ and its
 * libraries keep such pointers on purpose (leak_heuristics.h).
 *
 * Source  Valgrind 3.19 manual, section 4.2.9, "Memory leak detection".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/graph/pointer_graph.h"

/* In the order of Memcheck's loss records of equal size. */
enum leak_kind { LEAK_REACHABLE, LEAK_POSSIBLE, LEAK_INDIRECT, LEAK_DEFINITE, LEAK_KINDS };

/* Tells which heuristic explains a pointer OFFSET bytes into a block; 0: none does;
 * LEAK_EXPLAINED: one that no report names. */
#define LEAK_EXPLAINED 255
typedef uint8_t leak_explain_fn(void *data, uint32_t block, uint64_t offset);

struct leak_marks {
	uint8_t *kind;	    /* enum leak_kind of each block */
	uint8_t *heuristic; /* without which the block would be possibly lost, 0: none */
	uint32_t *leader;   /* of an indirectly lost block, and of a definitely lost one itself */
	uint32_t *group;    /* the leader that first gathered it, which may be lost indirectly now;
			     * of other blocks itself */
};

/* leak_marks_find -- Classifies all blocks of a graph.
 *
 * explain  NULL: interior pointers are never explained. Called for pointers to blocks that are only
 *          possibly reachable without it.
 * The pointers that are explained lose POINTER_INTERIOR in G.
 * Cost 3 to 500 ns for each block, by how near to each other in memory they are.
 */
void leak_marks_find(struct leak_marks *m, struct pointer_graph *g, leak_explain_fn *explain,
		     void *data);

/* leak_marks_free -- Releases everything. Accepts a zeroed struct. */
void leak_marks_free(struct leak_marks *m);
