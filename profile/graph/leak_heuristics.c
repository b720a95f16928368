/* leak_heuristics.c -- Interior pointers that programs in C++ and their libraries keep on purpose.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/leak_heuristics.h"

enum {
	WORD = 8,
	STRING_HEADER = 3 * WORD, /* length, capacity, count of references */
	TABLE_WORDS = 20,	  /* of what may be a table of virtual functions */
	TABLE_FUNCTIONS = 2,	  /* so many of them make it one */
	LOWEST_TABLE = 4096
};

static bool is_wanted(unsigned int set, enum leak_heuristic heuristic)
{
	return set & LEAK_HEURISTIC_BIT(heuristic);
}

/* ---- what begins with a length ---------------------------------------------------------- */

static bool is_old_string(const struct leak_memory *memory, const struct heap_block *block,
			  uint64_t offset)
{
	uint64_t header[2]; /* length, capacity */

	return offset == STRING_HEADER && block->size > STRING_HEADER &&
	       memory->read(memory->data, block->start, header, 2) == 2 &&
	       header[1] == block->size - STRING_HEADER - 1 && header[0] <= header[1];
}

/* The first word is the count of bytes, or of elements, behind it. */
static enum leak_heuristic explain_counted(const struct leak_memory *memory, unsigned int set,
					   const struct heap_block *block, uint64_t offset)
{
	const uint64_t rest = block->size - WORD;
	uint64_t count;

	if (offset != WORD || block->size < WORD ||
	    memory->read(memory->data, block->start, &count, 1) != 1 || count == 0)
		return LEAK_HEURISTIC_NONE;
	if (is_wanted(set, LEAK_HEURISTIC_LENGTH64) && count == rest)
		return LEAK_HEURISTIC_LENGTH64;
	return is_wanted(set, LEAK_HEURISTIC_NEWARRAY) && rest % count == 0 ?
		       LEAK_HEURISTIC_NEWARRAY : LEAK_HEURISTIC_NONE;
}

/* ---- objects with virtual functions ----------------------------------------------------- */

/* A table of virtual functions is in a mapped file, and has nothing but addresses of code and zeros
 * up to its second function. */
static bool is_function_table(const struct leak_memory *memory, uint64_t address)
{
	uint64_t word[TABLE_WORDS];
	unsigned int count, functions = 0;

	if (address < LOWEST_TABLE || address % WORD != 0 ||
	    !memory->is_file(memory->data, address))
		return false;
	count = memory->read(memory->data, address, word, TABLE_WORDS);
	for (unsigned int i = 0; i < count && functions < TABLE_FUNCTIONS; i++) {
		if (word[i] == 0)
			continue;
		if (!memory->is_code(memory->data, word[i]))
			return false;
		functions++;
	}
	return functions == TABLE_FUNCTIONS;
}

static bool is_second_base(const struct leak_memory *memory, const struct heap_block *block,
			   uint64_t offset)
{
	uint64_t first, inner;

	return offset % WORD == 0 && block->start % WORD == 0 && offset + WORD <= block->size &&
	       memory->read(memory->data, block->start + offset, &inner, 1) == 1 &&
	       memory->read(memory->data, block->start, &first, 1) == 1 &&
	       is_function_table(memory, inner) && is_function_table(memory, first);
}

/* ---- all together ----------------------------------------------------------------------- */

enum leak_heuristic leak_heuristics_explain(const struct leak_memory *memory, unsigned int set,
					    const struct heap_block *block, uint64_t offset)
{
	enum leak_heuristic found;

	if (is_wanted(set, LEAK_HEURISTIC_STDSTRING) && is_old_string(memory, block, offset))
		return LEAK_HEURISTIC_STDSTRING;
	found = explain_counted(memory, set, block, offset);
	if (found)
		return found;
	return is_wanted(set, LEAK_HEURISTIC_MULTIPLE_INHERITANCE) &&
			       is_second_base(memory, block, offset) ?
		       LEAK_HEURISTIC_MULTIPLE_INHERITANCE : LEAK_HEURISTIC_NONE;
}
