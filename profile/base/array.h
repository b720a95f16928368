/* array.h -- Growing arrays, and a search in sorted ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* array_reserve -- Makes room for at least COUNT elements.
 *
 * array    address of the pointer to the array, which is from this function or malloc(), or NULL.
 * room     elements that it has room for; becomes at least COUNT, and twice what it was.
 * element  bytes of one.
 * The program ends without memory, or beyond 32 bits.
 */
void array_reserve(void *array, uint32_t *room, size_t count, size_t element);

/* array_first_from -- Finds the first element whose key is not below FROM, by bisection.
 *
 * array    COUNT elements of ELEMENT bytes in ascending order of their keys.
 * key      where in an element its key is, a uint64_t: offsetof().
 * Returns its index; COUNT if there is none.
 */
size_t array_first_from(const void *array, size_t count, size_t element, size_t key,
			uint64_t from);
