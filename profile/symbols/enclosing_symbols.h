/* enclosing_symbols.h -- Which variable or function of a file an address is in.
 *
 * Of several symbols that enclose an address the one that begins last is taken, then the smallest,
 * then a global one before a weak and a local one, then the first by name: so the answer does not
 * depend on the order of the file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/symbols/elf_file.h"

enum enclosing_kind {
	ENCLOSING_VARIABLE,
	ENCLOSING_TLS,	/* variables of thread-local storage; addresses count from its start */
	ENCLOSING_FUNCTION
};

/* An address that is looked for; the rest is the answer, and zero before. */
struct enclosing_hit {
	uint64_t address; /* the file's own, without bias */
	uint64_t start;
	uint64_t size;
	const char *name; /* the symbol table's, in the mapping of the file; NULL: none */
	uint8_t binding;
};

/* enclosing_symbols_find -- Looks all addresses up.
 *
 * hit  COUNT of them, in ascending order. They may have names of another file of the same module.
 * Symbols that all overlap, as no linker makes them, are looked at up to a bound, which keeps the
 * cost at O(symbols * log(count) + count).
 */
void enclosing_symbols_find(const struct elf_file *f, enum enclosing_kind kind,
			    struct enclosing_hit *hit, size_t count);
