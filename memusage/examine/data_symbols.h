/* data_symbols.h -- The variable that an address is in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/read/modules.h"

struct data_symbols {
	struct modules modules;
	uint32_t generation;
	char root[32];	    /* directory that paths begin at */
	struct elf_file file; /* of the module that was asked about last */
	struct elf_file debug; /* its separate debug file; data is NULL: none */
	uint32_t opened;    /* its number, MODULES_NONE: none */
};

struct data_symbol {
	char *name;	      /* owned */
	uint64_t start, size; /* in the process */
};

/* data_symbols_open -- Prepares for the objects of a snapshot. Call data_symbols_close(). */
void data_symbols_open(struct data_symbols *d, const struct snapshot *s);

/* data_symbols_find -- Finds the variable with an address.
 *
 * Of several the one that begins last is taken, then the smallest. Reads the symbol tables of the
 * object, if its file is the one that was loaded. Returns false if there is none.
 */
bool data_symbols_find(struct data_symbols *d, uint64_t address, struct data_symbol *symbol);

/* data_symbols_object -- Returns the path of the object with an address, as the process knows it,
 * or NULL. Borrowed. */
const char *data_symbols_object(const struct data_symbols *d, uint64_t address);

/* data_symbols_close -- Releases everything. */
void data_symbols_close(struct data_symbols *d);
