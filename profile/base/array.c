/* array.c -- Growing arrays.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

bool array_reserve(void *array, uint32_t *room, size_t count, size_t element)
{
	size_t more = *room ? (size_t)*room * 2 : FIRST_ROOM;
	void *place;

	if (count <= *room)
		return true;
	while (more < count)
		more *= 2;
	if (more > UINT32_MAX)
		return false;
	memcpy(&place, array, sizeof(place));
	place = reallocarray(place, more, element);
	if (!place)
		return false;
	memcpy(array, &place, sizeof(place));
	*room = (uint32_t)more;
	return true;
}
