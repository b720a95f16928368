/* module_symbols.h -- The variable or function of a module that an address is in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/read/modules.h"

struct module_symbols {
	const struct tracee *tracee; /* borrowed: whose files they are */
	struct modules modules;
	uint32_t generation;
	char root[32];	    /* directory that paths begin at */
	struct elf_file file; /* of the module that was asked about last */
	struct elf_file debug; /* its separate debug file; data is NULL: none */
	uint32_t opened;    /* its number, MODULES_NONE: none */
};

struct module_symbol {
	char *name;	      /* owned */
	uint64_t start, size; /* in the process */
};

/* module_symbols_open -- Prepares for the objects of a snapshot. Call module_symbols_close(). */
void module_symbols_open(struct module_symbols *d, const struct snapshot *s);

/* module_symbols_find_variable -- Finds the variable with an address.
 *
 * symbol  overwritten; its name is the caller's to free.
 * If there are several, it takes the one that begins last, then the smallest. Reads the symbol
 * tables of the object, if its file is the one that was loaded. Returns false if there is none.
 */
bool module_symbols_find_variable(struct module_symbols *d, uint64_t address,
				  struct module_symbol *symbol);

/* module_symbols_find_export -- Finds the function with an address, as the one before, among those
 * that other modules can call. */
bool module_symbols_find_export(struct module_symbols *d, uint64_t address,
				struct module_symbol *symbol);

/* module_symbols_object -- Returns the path of the object with an address, as the process knows it,
 * or NULL. Borrowed. */
const char *module_symbols_object(const struct module_symbols *d, uint64_t address);

/* module_symbols_close -- Releases everything. */
void module_symbols_close(struct module_symbols *d);
