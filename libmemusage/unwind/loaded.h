/* loaded.h -- finding the object that contains running code.
 *
 * glibc 2.35 and later has _dl_find_object(), which takes no lock. With an older one ld.so's list
 * for debuggers is searched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Source: <dlfcn.h> of glibc 2.35, for x86-64 and aarch64. Older headers do not have it. */
#ifndef DLFO_STRUCT_HAS_EH_DBASE
struct dl_find_object {
	uint64_t dlfo_flags;
	void *dlfo_map_start, *dlfo_map_end;
	struct link_map *dlfo_link_map;
	void *dlfo_eh_frame;
	uint64_t reserved[7];
};
#endif

/* loaded_init -- find ld.so's function. Call from the constructor or recorder_start(). */
void loaded_init(void);

/* loaded_find -- find the object that contains an address.
 *
 * pc     in a function that is on this thread's stack, so that its object cannot be closed.
 * found  overwritten: the fields that are named above, except dlfo_flags.
 * Returns false if no object contains it. May change vector registers.
 * Async-signal-safe and without a lock where ld.so has its function. Else it takes ld.so's lock for
 * its list, as dl_iterate_phdr() does, while there are other threads. It takes no lock in a forked
 * process, where a thread that was not copied may hold it: a dlclose() by another thread at the
 * same moment is a risk there. Cost: 170 ns, or some 50 ns per object.
 */
bool loaded_find(uint64_t pc, struct dl_find_object *found);
