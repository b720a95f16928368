/* class_name.h -- The C++ class of an object, by its table of virtual functions.
 *
 * Source  Itanium C++ ABI, sections 2.5.2 and 2.9.5: an object of a class with virtual functions
 *         begins with the address of a table. The two words before are the distance from there to
 *         the whole object, 0 here, and the address of its type_info, whose second word is the
 *         address of the name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLASS_NAME_BYTES = 1025 };

/* How another process is read. */
struct class_memory {
	/* Copies memory. Returns the bytes that could be read, from ADDRESS on. */
	size_t (*read)(const void *data, uint64_t address, void *to, size_t size);
	/* Tells whether an address is in an object file, where tables and names are. */
	bool (*is_in_object)(const void *data, uint64_t address);
	const void *data;
};

/* class_name_read -- Reads the name of the class that has a table of virtual functions.
 *
 * table  the first word of an object, or of a block that is none.
 * name   receives the name as the compiler has it: "4Item", "N3lib5CacheE".
 * Returns false if TABLE does not seem to be one.
 */
bool class_name_read(const struct class_memory *m, uint64_t table, char name[CLASS_NAME_BYTES]);
