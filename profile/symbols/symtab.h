/* symtab.h -- which symbol of a symbol table covers an address.
 *
 * The rules are Valgrind's, so that names agree with Massif's: only symbols with a size count;
 * one that starts later hides those that started earlier; of those with one start the shortest
 * that reaches the address is taken; of several names for one range the shortest (not counting
 * a version behind '@'), then one with a version, then the first by alphabet.
 *
 * All addresses are looked up together, in two passes over the symbols: no table is built.
 *
 *	for each symbol: symtab_offer_start(...)
 *	symtab_settle(...)
 *	for each symbol: symtab_offer_name(...)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/symbols/elf_file.h"

/* An address that is looked for; the rest is the answer. */
struct symtab_hit {
	uint64_t address;
	uint64_t start;		/* of the symbol; before settling a lower bound, 0 none */
	uint64_t size;
	const char *name;	/* the symbol table's, NULL: no symbol covers the address */
};

/* Addresses in ascending order, without duplicates; everything else zero at the beginning. */
struct symtab {
	const struct elf_file *code;	/* symbols outside its executable segments are data */
	struct symtab_hit *hit;
	size_t count;
};

/* symtab_offer_start -- first pass. */
void symtab_offer_start(struct symtab *t, const struct elf_symbol *symbol);

/* symtab_settle -- between the passes. */
void symtab_settle(struct symtab *t);

/* symtab_offer_name -- second pass. symbol->name is kept, not copied. */
void symtab_offer_name(struct symtab *t, const struct elf_symbol *symbol);
