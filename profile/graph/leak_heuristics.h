/* leak_heuristics.h -- Interior pointers that programs in C++ and their libraries keep on purpose.
 *
 * Each is recognised by what the block and the pointer look like, as Memcheck does.
 *
 * Source  Valgrind 3.19 manual, --leak-check-heuristics.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/graph/block_set.h"

/* In the order of the words of --leak-check-heuristics, and of the lines of the summary. */
enum leak_heuristic {
	LEAK_HEURISTIC_NONE,
	LEAK_HEURISTIC_STDSTRING, /* characters of an old std::string, behind its header */
	LEAK_HEURISTIC_LENGTH64,  /* behind 8 bytes that hold the length of the rest */
	LEAK_HEURISTIC_NEWARRAY,  /* elements of an array with destructors, behind their count */
	LEAK_HEURISTIC_MULTIPLE_INHERITANCE, /* a base class that is not the first */
	LEAK_HEURISTIC_HEADER, /* behind a header of constant length (header_offsets.h); none of
				* Memcheck's */
	LEAK_HEURISTICS
};

/* Bit of a heuristic in a set. */
#define LEAK_HEURISTIC_BIT(heuristic) (1u << ((heuristic) - 1))
/* Memcheck's. */
#define LEAK_HEURISTICS_ALL (LEAK_HEURISTIC_BIT(LEAK_HEURISTIC_HEADER) - 1)

/* How the memory of the process is read. Both get `data`. */
struct leak_memory {
	void *data;
	/* Reads COUNT words at an address, a multiple of 8. Returns how many could be read. */
	unsigned int (*read)(void *data, uint64_t address, uint64_t *word, unsigned int count);
	/* Tells whether an address is code; whether it is in a mapped file. */
	bool (*is_code)(void *data, uint64_t address);
	bool (*is_file)(void *data, uint64_t address);
};

/* leak_heuristics_explain -- Returns the heuristic that explains a pointer, or 0.
 *
 * set     bits of those that may be used; HEADER is not for it.
 * offset  of the pointer in the block, not 0.
 */
enum leak_heuristic leak_heuristics_explain(const struct leak_memory *memory, unsigned int set,
					    const struct heap_block *block, uint64_t offset);
