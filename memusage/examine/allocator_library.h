/* allocator_library.h -- Libraries that take the place of glibc's malloc: jemalloc, tcmalloc and
 * mimalloc, by the names of their files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/examine/address_space.h"

/* allocator_library_is -- Tells whether a file is one of them.
 *
 * path  with a slash before its last part, or NULL.
 */
bool allocator_library_is(const char *path);

/* allocator_library_is_mapped -- Tells whether a process has the code of one. */
bool allocator_library_is_mapped(const struct address_space *space);
