/* collector_query.h -- Queries of the recorder to the collector about the code of a module.
 *
 * docs/format.md, section 7.1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* State of a query; recorder and collector set it in turn. */
enum mu_query_state {
	MU_QUERY_IDLE = 0,
	MU_QUERY_WANTED = 1,  /* recorder: what is in this module? */
	MU_QUERY_WORKING = 2, /* collector: a process reads its symbols */
	MU_QUERY_COUNTED = 3, /* collector: there are query_count words */
	MU_QUERY_ROOM = 4,    /* recorder: put them at query_offset */
	MU_QUERY_DONE = 5,    /* collector: they are there */
	MU_QUERY_FAILED = 6   /* either: there is no answer */
};

/* Words of the answer, ascending: the class of code from an address of the module's file on. */
enum mu_code_class {
	MU_CODE_NAMED = 0,    /* of some function */
	MU_CODE_NAMELESS = 1, /* of none that is known */
	MU_CODE_ALLOC = 2,    /* of a function that allocates for others, --alloc-fn */
	MU_CODE_IGNORE = 3    /* of a function named by --ignore-fn */
};
#define MU_CODE_WORD(address, class) ((address) << 2 | (uint64_t)(class))
#define MU_CODE_ADDRESS(word) ((word) >> 2)
#define MU_CODE_CLASS(word) ((enum mu_code_class)((word) & 3))

/* Instead of a module's number: asks for the functions that --alloc-symbol names in the module at
 * query_module. The answer has struct mu_symbol_match of family.h. */
#define MU_QUERY_SYMBOLS UINT32_MAX
/* ... asks for a leak check. The answer is a struct mu_leak_check. */
#define MU_QUERY_LEAKS (UINT32_MAX - 1)
/* ... asks for what its pages are for. The answer is a struct mu_pages. */
#define MU_QUERY_PAGES (UINT32_MAX - 2)
/* ... asks for what holds its blocks. The answer is a struct mu_holders. */
#define MU_QUERY_HOLDERS (UINT32_MAX - 3)

/* mu_query_is_examination -- Tells whether a query is about the process, and not about code. */
static inline int mu_query_is_examination(uint32_t wanted)
{
	return wanted == MU_QUERY_LEAKS || wanted == MU_QUERY_PAGES || wanted == MU_QUERY_HOLDERS;
}
