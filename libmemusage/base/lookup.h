/* lookup.h -- finding functions without dlsym.
 *
 * dlsym allocates when it does not find a name, and clears what the program's own dlerror() would
 * have returned. The first event may come from inside the program's malloc, with its lock held
 * (jemalloc in rustc calls mmap): an allocation would then wait for ever.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct link_map;

/* lookup_self -- return this library's entry in ld.so's list, NULL if it is not in the list. */
const struct link_map *lookup_self(void);

/* lookup_next -- return the next function of that name in search order, as dlsym(RTLD_NEXT) has it.
 *
 * Looks at the objects that are loaded now, those after this library, and at default versions.
 * Returns NULL if there is none. Allocates nothing, takes no lock; not while another thread
 * may open or close objects.
 * Source  the layout of .gnu.hash, .hash and .gnu.version as read by ld.so.
 */
void *lookup_next(const char *name);

/* lookup_next_object -- return the object with what lookup_next() finds, NULL if there is none. */
const struct link_map *lookup_next_object(const char *name);

/* lookup_sized -- find a function that one object exports, and how long it is.
 *
 * object         of ld.so's list.
 * address, size  set to those of its code, in bytes, if it is found.
 * Returns false if the object does not export it, or not as an ordinary function of known size.
 */
bool lookup_sized(const struct link_map *object, const char *name, uint64_t *address,
		  uint64_t *size);

/* lookup_in -- return the address of a function that one object exports, NULL if it does not.
 *
 * Of a function whose version is chosen at start (ifunc), the address of what chooses. Allocates
 * nothing, takes no lock.
 */
void *lookup_in(const struct link_map *object, const char *name);

/* lookup_object -- return the first object, in load order, that exports a function; NULL: none.
 *
 * Not while another thread may open or close objects.
 */
const struct link_map *lookup_object(const char *name);
