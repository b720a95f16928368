/* mapping_event.h -- recording the calls that map memory and unmap it (-m).
 *
 * Only writable mappings of files count as heap (mapping.h). All functions are called inside the
 * hook, change no errno, and are async-signal-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/image/thread.h"

/* mapping_event_kind -- return the row of the report in which an mmap() counts. */
enum mu_fn mapping_event_kind(int prot, int flags);

/* mapping_event_mapped -- record a call of mmap(), after it.
 *
 * start     its result.
 * length    bytes.
 * kind      from mapping_event_kind().
 * replaces  there was MAP_FIXED: something may have been mapped there.
 * sp        as hook_sp().
 */
void mapping_event_mapped(struct thread *thread, const void *start, size_t length, enum mu_fn kind,
			  bool replaces, uint64_t sp);

/* A call of mremap(). */
struct mapping_move {
	const void *old;
	size_t old_size; /* bytes */
	const void *result;
	size_t new_size;
	bool replaces; /* there was MREMAP_FIXED */
};

/* mapping_event_moved -- record a call of mremap(), after it. sp: as hook_sp(). */
void mapping_event_moved(struct thread *thread, const struct mapping_move *move, uint64_t sp);

/* mapping_event_unmapped -- record a call of munmap(), after it.
 *
 * start, length  its arguments.
 * change         what mapping_remove() returned before the call: another thread may have mapped the
 *                range again since. It is taken back if the call failed.
 * sp             as hook_sp().
 */
void mapping_event_unmapped(struct thread *thread, const void *start, size_t length, int64_t change,
			    bool has_failed, uint64_t sp);
