/* memory.h -- private memory of the recorder: mapped, never given back.
 *
 * For tables that only this process reads. What the tools read is in the arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_MEMORY_H
#define LIBMEMUSAGE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* memory_map -- zeroed private memory, page-aligned, lazily backed.
 *
 * Returns NULL if the kernel refuses. Async-signal-safe; not seen by mmap's interposition.
 */
void *memory_map(uint64_t size);

/* memory_unmap -- give back what memory_map() returned, whole. */
void memory_unmap(void *start, uint64_t size);

/* memory_private_bytes -- bytes mapped by memory_map() so far, for reports. */
uint64_t memory_private_bytes(void);

#endif
