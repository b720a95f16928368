/* debuginfo.h -- Lines and inlined calls of code addresses, from DWARF.
 *
 * Backends: debuginfo_libdw.c (elfutils) and, with LIBDW=no, debuginfo_nodw.c, which knows
 * nothing. The build takes one; no other file includes libdw.
 *
 * Files may be hostile. libdw checks much, but not everything, and has no limits of time and
 * memory. So call it where a crash is no loss: in the child of symbols_resolve().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/names/raw_level.h"
#include "profile/symbols/elf_file.h"

enum { DEBUGINFO_LEVELS_MAX = RAW_LEVELS_MAX };	/* inlined calls at one address */

/* One inlined call, or the function itself. The texts live during the call back only. */
struct debuginfo_level {
	const char *name;	/* DW_AT_name; NULL unknown */
	const char *linkage;	/* linkage name, mangled; NULL none */
	const char *scoped;	/* without one: the name with its scopes; NULL unknown */
	const char *file;	/* path as the compiler had it, absolute if possible; NULL: none */
	uint32_t base;		/* where in file, behind the directory, the name begins: what the
				 * compiler took for it, which may hold a '/' */
	uint32_t line;
};

/* Receives all levels of one address, innermost first; the last is the function itself. Its
 * name is what DWARF says, which is not what the symbol table says. */
typedef void (*debuginfo_fn)(size_t index, const struct debuginfo_level *level, size_t count,
			     void *data);

/* Further files of debug information that were not found. */
enum debuginfo_lack {
	DEBUGINFO_NO_SPLIT = 1,		/* of a split unit (.dwo): answers lack inlined calls */
	DEBUGINFO_NO_COMMON = 2		/* of .gnu_debugaltlink, if there is such a section */
};

/* debuginfo_lookup -- find lines and inlined calls.
 *
 * fd       of a file with .debug_info.
 * address  COUNT addresses as the file counts them, ascending, no duplicates.
 * found    called at most once for each of them; not for those without debug information.
 * Returns a sum of enum debuginfo_lack, or -1 with ERR if the file could not be read at all.
 * Cost     one pass over the compilation units that are touched; see docs/benchmarks.md.
 */
int debuginfo_lookup(int fd, const uint64_t *address, size_t count, debuginfo_fn found,
		     void *data, struct mu_error *err);

/* debuginfo_version -- Returns the backend with its version: others may give other names. */
const char *debuginfo_version(void);

struct debuginfo_mini;

/* debuginfo_mini_open -- the symbols of .gnu_debugdata, a compressed table of local symbols.
 *
 * fd  of the file that has the section.
 * Returns NULL if there are none, or this was built without libdw.
 */
struct debuginfo_mini *debuginfo_mini_open(int fd);

/* debuginfo_mini_symbols -- call VISIT for each of them. Names live until the closing. */
void debuginfo_mini_symbols(struct debuginfo_mini *mini, elf_symbol_fn visit, void *data);

/* debuginfo_mini_close -- release them. NULL is fine. */
void debuginfo_mini_close(struct debuginfo_mini *mini);
