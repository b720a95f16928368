/* array.h -- arrays that grow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_BASE_ARRAY_H
#define PROFILE_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* array_grow -- room for at least COUNT elements.
 *
 * array    from this function or malloc(), NULL for none yet.
 * room     elements that it has room for; becomes at least COUNT, and twice what it was.
 * element  bytes of one.
 * Returns the array, which may have moved; NULL without memory or beyond 32 bits, and then the
 * old one is as it was.
 */
void *array_grow(void *array, uint32_t *room, size_t count, size_t element);

#endif
