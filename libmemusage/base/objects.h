/* objects.h -- loaded objects and their program headers, by way of ld.so's list for debuggers.
 *
 * For rare work that needs more of an object than an address look-up (cfi.h) gives, and for libcs
 * without such a look-up. A dlopen() or dlclose() of another thread may change the list: use it
 * only from recorder_start(), the constructor, or where ld.so calls us (patch_on_objects()).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct object {
	const struct link_map *map;
	const ElfW(Phdr) * part;
	unsigned int parts;
	uint64_t start, end; /* lowest and highest address of what is loaded, whole pages */
};

/* objects_init -- find the executable's program headers by getauxval(). Call once, first of all. */
void objects_init(void);

/* object_read -- find the program headers and the extent of an object of the list.
 *
 * map     stays ld.so's; object is overwritten, and points into the loaded object.
 * Returns false if they are not where they should be, or nothing is loaded. Allocates nothing,
 * takes no lock.
 */
bool object_read(const struct link_map *map, struct object *object);

/* objects_next_namespace -- return what follows a namespace of dlmopen(), NULL if none does.
 *
 * The first one is _r_debug. With glibc before 2.35 only that one is known. Any thread may call it.
 */
const struct r_debug *objects_next_namespace(const struct r_debug *space);

/* objects_are_changing -- return whether ld.so adds objects to its list, or removes some.
 *
 * Any thread may call it, but only in a forked child does the answer stay true. Async-signal-safe.
 */
bool objects_are_changing(void);

/* object_of -- find the object that contains an address. As object_read(). */
bool object_of(uint64_t address, struct object *object);

/* object_tables -- return the address of an object's .eh_frame_hdr, NULL if it has none. */
const uint8_t *object_tables(const struct object *object);

/* object_flags -- return PF_R, PF_W, PF_X of the loaded segment at an address, -1 if none. */
int object_flags(const struct object *object, uint64_t address);
