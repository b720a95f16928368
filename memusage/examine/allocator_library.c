/* allocator_library.c -- Libraries that take the place of glibc's malloc, by their files' names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/allocator_library.h"

#include <string.h>

bool allocator_library_is(const char *path)
{
	static const char *const names[] = { "/libjemalloc", "/libtcmalloc", "/libmimalloc" };
	const char *file = path ? strrchr(path, '/') : NULL;

	for (size_t i = 0; file && i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(file, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

bool allocator_library_is_mapped(const struct address_space *space)
{
	for (uint32_t i = 0; i < space->count; i++) {
		if (space->area[i].flags & AREA_CODE &&
		    allocator_library_is(space->area[i].name))
			return true;
	}
	return false;
}
