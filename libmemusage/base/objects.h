/* objects.h -- loaded objects and their program headers, by way of ld.so's list for debuggers.
 *
 * For the rare work that needs more of an object than an address look-up (cfi.h) tells, and for
 * libcs without one. The list may be changed by a dlopen() or dlclose() of another thread: use it
 * from recorder_start(), the constructor, or where ld.so has called us (patch_on_objects()).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_OBJECTS_H
#define LIBMEMUSAGE_BASE_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct object {
	const struct link_map *map;
	const ElfW(Phdr) * part;
	unsigned int parts;
	uint64_t start, end; /* lowest and highest address of what is loaded, whole pages */
};

/* objects_init -- read what getauxval() has to say of the executable: once, before any object is
 * looked at. */
void objects_init(void);

/* object_read -- the program headers of an object of the list.
 *
 * Returns false if they are not where they should be, or nothing is loaded. Allocates nothing,
 * takes no lock.
 */
bool object_read(const struct link_map *map, struct object *object);

/* object_of -- the object that an address lies in. As above. */
bool object_of(uint64_t address, struct object *object);

/* object_tables -- its .eh_frame_hdr, NULL if it has none. */
const uint8_t *object_tables(const struct object *object);

/* object_flags -- PF_R, PF_W, PF_X of the loaded segment that an address lies in, -1 if none. */
int object_flags(const struct object *object, uint64_t address);

#endif
