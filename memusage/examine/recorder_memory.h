/* recorder_memory.h -- The memory that the recorder has in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"

/* Its own mappings. The process may have written anything into the list. */
struct recorder_memory {
	struct mu_own_mapping *mapping;
	uint32_t count;
};

/* recorder_memory_read -- Reads the list of its own mappings; of one that cannot be read whole, its
 * beginning. Call recorder_memory_free(). */
void recorder_memory_read(struct recorder_memory *m, const struct snapshot *s);

/* recorder_memory_free -- Releases everything. */
void recorder_memory_free(struct recorder_memory *m);

/* recorder_memory_is_file -- Tells whether a mapping is of a file of the recorder: its libraries,
 * and the memory of the recording. */
bool recorder_memory_is_file(const struct area *a);

/* recorder_memory_data_end -- Tells how far a mapping without a name is zeroed data of a library of
 * the recorder, which follows the file; advice to the kernel may have split it.
 *
 * What is mapped next to it, as thread-local variables may be, is listed as the same mapping.
 * Returns an address from the mapping's start, then none of it is, to its end.
 */
uint64_t recorder_memory_data_end(const struct address_space *s, const struct area *a);
