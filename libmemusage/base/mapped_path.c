/* mapped_path.c -- the file that is mapped at an address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/mapped_path.h"

#include <string.h>

#include "libmemusage/base/maps.h"

struct path_search {
	uint64_t address;
	uint64_t length; /* of the path that was found */
};

static bool find_mapping(const struct maps_line *line, void *data)
{
	struct path_search *search = data;

	if (search->address < line->start || search->address >= line->end)
		return false;
	search->length = line->length && line->path[0] == '/' ? line->length : 0;
	return true;
}

/* Returns false if the text is not the file's name: the file was deleted, or the kernel has escaped
 * some byte of the name. */
static bool is_existing_path(const char *path, uint64_t length)
{
	static const char deleted[] = " (deleted)";
	const uint64_t n = sizeof(deleted) - 1;

	return !memchr(path, '\\', length) &&
	       (length < n || memcmp(path + length - n, deleted, n) != 0);
}

uint64_t mapped_path(uint64_t address, bool as_it_is, char *path, uint64_t size)
{
	struct path_search search = { .address = address };

	/* A path of size - 1 bytes may be cut. */
	if (!maps_for_each(path, size - 1, find_mapping, &search) || search.length == size - 1 ||
	    (!as_it_is && !is_existing_path(path, search.length)))
		search.length = 0;
	path[search.length] = '\0';
	return search.length;
}
