/* symbols.h -- names for code addresses: functions, files, lines, inlined calls.
 *
 * All addresses of a recording are looked up together, module by module. ELF and DWARF files
 * are read in a child process with limits on time and memory, because they may be damaged or
 * hostile: a file that breaks the child costs its own names, nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_SYMBOLS_SYMBOLS_H
#define PROFILE_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdio.h>

#include "profile/base/error.h"
#include "profile/base/strings.h"
#include "profile/symbols/elf_file.h"

struct symbols_module {
	const char *path;	/* as the process saw it; NULL: code made at run time (JIT) */
	struct build_id id;	/* as recorded; a length of 0 is not compared */
};

/* An address to look up. */
struct symbols_request {
	uint64_t address;	/* as the module's file counts: without the bias of loading. For a
				 * return address that of the call: one less. JIT: as it is */
	uint32_t module;	/* index in the list of modules */
};

enum symbols_state {
	SYMBOLS_UNREAD = 0,	/* nothing was asked of the module */
	SYMBOLS_READ,		/* names were found, or at least looked for */
	SYMBOLS_MISSING,	/* the file cannot be opened */
	SYMBOLS_OTHER_BUILD,	/* it is not the file that ran: build-ids differ */
	SYMBOLS_DOUBTFUL,	/* names were found, in a file that was changed since the process
				 * began and has no build-id to tell */
	SYMBOLS_FAILED		/* the child died of it, or took too long */
};

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

typedef void (*symbols_progress_fn)(size_t done, size_t total, void *data);

struct symbols_options {
	const char *root;	/* directory that paths begin at, "/proc/PID/root"; NULL: "/" */
	const char *const *roots;	/* others, which are tried first, and taken if
					 * the build fits; may be NULL */
	size_t root_count;
	const char *perf_map;	/* names of JIT code, "/tmp/perf-PID.map", below root; or NULL */
	uid_t owner;		/* of the process: who else may have written that */
	uint64_t start_ns;	/* of the process, by CLOCK_REALTIME: files that are younger may be
				 * others than those that ran; 0: not known */
	bool debuginfod;	/* ask servers for missing debug files */
	bool no_inlines;	/* only the function itself, with the innermost line */
	bool no_demangle;
	bool in_process;	/* no child: for tests, and for who is in one already */
	unsigned int seconds;	/* of CPU time per module, and a third of what all together may
				 * take, besides what the size of the files explains; 0: 20 */
	uint64_t memory;	/* bytes of address space that may be added; 0: 1 GiB, and four
				 * times the size of the files */
	symbols_progress_fn progress;	/* called now and then; may be NULL */
	void *data;		/* for progress */
};

/* symbols_resolve -- look up addresses.
 *
 * s        overwritten; release with symbols_free(), after a failure too.
 * module   COUNT of them.
 * request  REQUESTS of them, ordered by module, then by address, without duplicates.
 * o        NULL for defaults.
 * Returns 0, or -1 with ERR without memory. A module that gives no names is no failure: see
 * symbols->state.
 * Cost     see docs/benchmarks.md; forks once, and once more per module that breaks the child.
 */
int symbols_resolve(struct symbols *s, const struct symbols_module *module, uint32_t count,
		    const struct symbols_request *request, size_t requests,
		    const struct symbols_options *o, struct mu_error *err);

/* symbols_name -- give a request that has no names a full one.
 *
 * request  a number below what symbols_resolve() was asked; one that has names keeps them.
 * Returns false without memory.
 */
bool symbols_name(struct symbols *s, size_t request, const char *full);

/* symbols_free -- release everything. Fine for a zeroed struct. */
void symbols_free(struct symbols *s);

/* symbols_text -- the text with a number in a level; "" for 0. */
const char *symbols_text(const struct symbols *s, uint32_t number);

/* symbols_state_has_names -- whether names of such a module were looked up. */
bool symbols_state_has_names(enum symbols_state state);

/* symbols_state_text -- what a report says of a module in a state, NULL if nothing. */
const char *symbols_state_text(enum symbols_state state);

/* How a line of Massif's tree names an address. */
struct symbols_place {
	uint64_t address;	/* in the process: return address - 1 */
	const char *name;	/* function; "" unknown */
	const char *file;	/* path; "" unknown */
	uint32_t base;		/* as in struct symbols_level */
	uint32_t line;
	const char *object;	/* path of the module; "" or NULL unknown */
};

/* symbols_put_massif -- print `0xADDR: FUNC (FILE:LINE)` as Massif does.
 *
 * strip  NULL: FILE is the path without its directory. Otherwise COUNT texts of
 *        --fullpath-after: what stands behind the first one that the path contains is printed;
 *        "" is contained in every path.
 * Source specs of Valgrind 3.19: docs/compat.md.
 */
void symbols_put_massif(FILE *out, const struct symbols_place *place, const char *const *strip,
			size_t count);

#endif
