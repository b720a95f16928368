/* scope_names.h -- Names of C++ functions with the scopes around them, from DWARF.
 *
 * Compilers give no linkage name to what is local to a function or a file: inlined, it is known
 * only as "operator()" or "lookup". Its scopes tell it from others:
 *
 *	main::{lambda#1}::operator()
 *	(anonymous namespace)::Cache::lookup
 *
 * A part of the backend debuginfo_libdw.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct scope_entry;

/* The scopes of one unit, the last that was asked for. Zeroed to begin with. */
struct scope_names {
	Dwarf_Off unit;
	bool is_read;
	struct scope_entry *entry;	/* ascending by offset; [0] is the unit */
	uint32_t count, room;
	uint32_t read;			/* of all units; there is a limit */
};

/* scope_names_of -- Returns the name of a function with its scopes, to be freed.
 *
 * die  a function or an inlined call.
 * Lambdas are counted in the order of the source, in the function around them.
 * Returns NULL if there is nothing around it but its unit, or if the unit's language is not C++, or
 * beyond some millions of entries. Cost one pass over a unit's entries, 0.1 to 0.3 us each, at its
 * first call.
 */
char *scope_names_of(struct scope_names *s, Dwarf_Die *die);

/* scope_names_free -- Releases everything; S is as at the beginning. */
void scope_names_free(struct scope_names *s);
