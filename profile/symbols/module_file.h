/* module_file.h -- The files that hold a module's names: its own, and a separate debug file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/symbols/debuginfo.h"
#include "profile/symbols/elf_file.h"
#include "profile/symbols/symbols_job.h"
#include "profile/symbols/symtab.h"

struct module_file {
	struct elf_file elf;	/* the module's own */
	struct elf_file debug;	/* separate debug file; data is NULL: none */
	struct debuginfo_mini *mini;	/* symbols of .gnu_debugdata, where nothing else has them */
};

/* The data that the caller needs. */
enum module_file_want {
	MODULE_FILE_SYMBOLS,	/* symbols only: a file that has a .symtab needs no other */
	MODULE_FILE_LINES	/* debug information, too */
};

/* module_file_open -- Opens the module's file and its debug file.
 *
 * f           overwritten; call module_file_close() in any case.
 * module      its path, and the build-id that the file must have; length 0: any.
 * root        as for elf_file_open().
 * debuginfod  as for debugfile_find(), which may take long then.
 * Returns SYMBOLS_READ, or with ERR (which may be NULL) SYMBOLS_MISSING or SYMBOLS_OTHER_BUILD.
 */
enum symbols_state module_file_open(struct module_file *f, const struct symbols_module *module,
				    const char *root, bool debuginfod, enum module_file_want want,
				    struct mu_error *err);

/* module_file_symbols -- Calls VISIT for the symbols of all tables; many are in several. */
void module_file_symbols(const struct module_file *f, elf_symbol_fn visit, void *data);

/* module_file_look_up -- Finds the symbols of T's addresses; T->hit is sorted. Names live as long
 * as F is open. */
void module_file_look_up(const struct module_file *f, struct symtab *t);

/* module_file_debug -- Returns the descriptor (F's) of the file that has .debug_info; -1: neither
 * has. */
int module_file_debug(const struct module_file *f);

/* module_file_close -- Releases everything. May follow a failed opening, and be called twice. */
void module_file_close(struct module_file *f);
