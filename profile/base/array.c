/* array.c -- Growing arrays.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/array.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

void *array_grow(void *array, uint32_t *room, size_t count, size_t element)
{
	size_t more = *room ? (size_t)*room * 2 : FIRST_ROOM;
	void *grown;

	while (more < count)
		more *= 2;
	if (more > UINT32_MAX)
		return NULL;
	grown = reallocarray(array, more, element);
	if (grown)
		*room = (uint32_t)more;
	return grown;
}

bool array_reserve(void *array, uint32_t *room, size_t count, size_t element)
{
	void **place = array;
	void *grown = count <= *room ? *place : array_grow(*place, room, count, element);

	if (grown)
		*place = grown;
	return grown || count == 0;
}
