/* collector_query.h -- what recorder and collector say to each other about the code of a module.
 *
 * docs/format.md, section 7.1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RECORDING_COLLECTOR_QUERY_H
#define RECORDING_COLLECTOR_QUERY_H

#include <stdint.h>

/* A question for the code of a module goes to and fro between recorder and collector. */
enum mu_query_state {
	MU_CODE_IDLE = 0,
	MU_CODE_WANTED = 1,  /* recorder: what is in this module? */
	MU_CODE_WORKING = 2, /* collector: somebody reads its symbols */
	MU_CODE_COUNTED = 3, /* collector: there are code_count words */
	MU_CODE_ROOM = 4,    /* recorder: put them at code_offset */
	MU_CODE_DONE = 5,    /* collector: they are there */
	MU_CODE_FAILED = 6   /* either: no answer to be had */
};

/* Words of the answer, ascending: what code is from an address of the module's file on. */
enum mu_code_class {
	MU_CODE_NAMED = 0,    /* of some function */
	MU_CODE_NAMELESS = 1, /* of none that is known */
	MU_CODE_ALLOC = 2,    /* of a function that allocates for others, --alloc-fn */
	MU_CODE_IGNORE = 3    /* of a function named by --ignore-fn */
};
#define MU_CODE_WORD(address, class) ((address) << 2 | (uint64_t)(class))
#define MU_CODE_ADDRESS(word) ((word) >> 2)
#define MU_CODE_CLASS(word) ((enum mu_code_class)((word) & 3))

/* Not for one module's number, but for what --alloc-symbol names in the module at code_module:
 * the answer has struct mu_symbol_match of family.h. */
#define MU_CODE_SYMBOLS UINT32_MAX

#endif
