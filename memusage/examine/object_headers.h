/* object_headers.h -- The program headers of an object that is loaded in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <link.h>

#include "memusage/examine/address_space.h"

enum { OBJECT_HEADERS_MOST = 64 };

/* object_headers_read -- Reads the program headers that an object has in its first page.
 *
 * start  of the object's first mapping. There may be anything.
 * Returns how many there are, 0 if they cannot be read or are more than OBJECT_HEADERS_MOST.
 * Cost two reads of the process's memory.
 */
unsigned int object_headers_read(const struct address_space *s, uint64_t start,
				 ElfW(Phdr) part[OBJECT_HEADERS_MOST]);
