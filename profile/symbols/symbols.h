/* symbols.h -- Names of code addresses: functions, files, lines, inlined calls.
 *
 * All addresses of a recording are looked up together, module by module. ELF and DWARF files
 * are read in a child process with limits on time and memory, because they may be damaged or
 * hostile: a file that breaks the child costs its own names, nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/base/error.h"
#include "profile/base/strings.h"
#include "profile/symbols/symbols_job.h"

/* One line of a call stack. Numbers of symbols->strings, 0 for unknown. */
struct symbols_level {
	uint32_t name;	/* as Massif shows it: of a function what the symbol table says,
			 * demangled; of an inlined call the bare name */
	uint32_t full;	/* for people: qualified, without a symbol's version */
	uint32_t file;	/* path as the compiler had it */
	uint32_t base;	/* not a string: where in it, behind the directory, the name begins */
	uint32_t line;	/* a line number; 0 unknown */
};

/* The levels of one address: [first, first + count), innermost first. The last one is the
 * function itself, those before it were inlined. A count of 0: nothing is known. */
struct symbol {
	uint32_t first;
	uint32_t count;
};

struct symbols {
	struct strings strings;
	struct symbols_level *level;
	uint32_t level_count;
	uint32_t level_room;	/* private */
	struct symbol *symbol;	/* one per request */
	size_t count;
	uint8_t *state;		/* enum symbols_state, one per module */
	uint32_t modules;
};

/* symbols_resolve -- Looks up addresses.
 *
 * s        overwritten; release with symbols_free(), after a failure too.
 * module   COUNT of them.
 * request  REQUESTS of them, ordered by module, then by address, without duplicates.
 * o        NULL for defaults.
 * Returns 0, or -1 with ERR if no child can be started. A module that gives no names is no failure:
 * see symbols->state.
 * Cost     see docs/benchmarks.md; forks once, and once more per module that breaks the child.
 */
int symbols_resolve(struct symbols *s, const struct symbols_module *module, uint32_t count,
		    const struct symbols_request *request, size_t requests,
		    const struct symbols_options *o, struct mu_error *err);

/* symbols_name -- Gives a full name to a request that has no names.
 *
 * request  an index of those given to symbols_resolve(); one that has names keeps them.
 */
void symbols_name(struct symbols *s, size_t request, const char *full);

/* symbols_free -- Releases everything; a zeroed struct is allowed. */
void symbols_free(struct symbols *s);

/* symbols_text -- Returns the text with a number in a level; "" for 0. */
const char *symbols_text(const struct symbols *s, uint32_t number);

/* symbols_state_text -- Returns a report's remark on a module in a state, NULL for none. */
const char *symbols_state_text(enum symbols_state state);

/* An address with its names for a line of Massif's tree. */
struct symbols_place {
	uint64_t address;	/* in the process: return address - 1 */
	const char *name;	/* function; "" unknown */
	const char *file;	/* path; "" unknown */
	uint32_t base;		/* as in struct symbols_level */
	uint32_t line;
	const char *object;	/* path of the module; "" or NULL unknown */
};

/* symbols_put_massif -- Prints `0xADDR: FUNC (FILE:LINE)` as Massif does.
 *
 * strip  NULL: FILE is the path without its directory. Otherwise COUNT texts of
 *        --fullpath-after: the part behind the first one that the path contains is printed; every
 *        path contains "".
 * Source specs of Valgrind 3.19: docs/compat.md.
 */
void symbols_put_massif(FILE *out, const struct symbols_place *place, const char *const *strip,
			size_t count);
