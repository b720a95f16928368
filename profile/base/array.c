/* array.c -- Growing arrays, and a search in sorted ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/array.h"

#include <string.h>

#include "cli/xmalloc.h"

enum { FIRST_ROOM = 64 };

void array_reserve(void *array, uint32_t *room, size_t count, size_t element)
{
	size_t more = *room ? (size_t)*room * 2 : FIRST_ROOM;
	void *place;

	if (count <= *room)
		return;
	while (more < count)
		more *= 2;
	memcpy(&place, array, sizeof(place));
	/* Numbers of elements have 32 bits: for more of them there is no memory. */
	place = xreallocarray(place, more > UINT32_MAX ? SIZE_MAX : more, element);
	memcpy(array, &place, sizeof(place));
	*room = (uint32_t)more;
}

size_t array_first_from(const void *array, size_t count, size_t element, size_t key, uint64_t from)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;

		memcpy(&at, (const char *)array + middle * element + key, sizeof(at));
		if (at < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
