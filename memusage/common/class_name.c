/* class_name.c -- The C++ class of an object, by its table of virtual functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/class_name.h"

#include <string.h>

/* Reads two words of an object's data. */
static bool read_constants(const struct class_memory *m, uint64_t address, uint64_t word[2])
{
	return address % 8 == 0 && m->is_in_object(m->data, address) &&
	       m->read(m->data, address, word, 16) == 16;
}

/* "4Item", "N3lib5CacheE", "St12bad_function", "*" before the name of a local class. */
static bool is_type_name(const char *name)
{
	if (!((*name >= '1' && *name <= '9') || *name == 'N' || *name == 'S' || *name == 'Z'))
		return false;
	for (; *name; name++) {
		if (!((*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= 'a' && *name <= 'z') || *name == '_' || *name == '.' ||
		      *name == '$'))
			return false;
	}
	return true;
}

static bool read_name(const struct class_memory *m, uint64_t address, char name[CLASS_NAME_BYTES])
{
	size_t length;

	if (!m->is_in_object(m->data, address))
		return false;
	length = m->read(m->data, address, name, CLASS_NAME_BYTES - 1);
	name[length] = '\0';
	if (strlen(name) >= length)
		return false;
	if (*name == '*')
		memmove(name, name + 1, length);
	return is_type_name(name);
}

bool class_name_read(const struct class_memory *m, uint64_t table, char name[CLASS_NAME_BYTES])
{
	uint64_t before[2], info[2], base[2];

	if (table < 16 || !read_constants(m, table - 16, before) || before[0] != 0)
		return false;
	/* A type_info is an object with virtual functions itself. */
	return read_constants(m, before[1], info) && info[0] >= 16 &&
	       read_constants(m, info[0] - 16, base) && base[0] == 0 &&
	       read_name(m, info[1], name);
}
