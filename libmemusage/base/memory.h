/* memory.h -- private memory of the recorder: mapped, never given back.
 *
 * For tables that only this process reads. What the tools read is in the arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_MEMORY_H
#define LIBMEMUSAGE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* memory_map -- zeroed private memory, page-aligned, lazily backed.
 *
 * Returns NULL if the kernel refuses. Async-signal-safe; not seen by mmap's interposition.
 */
void *memory_map(uint64_t size);

/* memory_reserve -- as memory_map(), but nothing counts as ours before memory_count(). */
void *memory_reserve(uint64_t size);

/* memory_count -- so many bytes more are resident, or fewer (negative, modulo 2^64). */
void memory_count(uint64_t change);

/* memory_publish -- where memory_count() shows the sum from its next call on, for readers. */
void memory_publish(uint64_t *where);

/* memory_unmap -- give back what memory_map() returned, whole. */
void memory_unmap(void *start, uint64_t size);

/* memory_grow_numbers -- let an array of 32-bit numbers have an entry INDEX, by doubling it.
 *
 * array  NULL at first; replaced.
 * count  of its entries; new ones are 0.
 * Returns false, and changes nothing, without memory. Async-signal-safe.
 */
bool memory_grow_numbers(uint32_t **array, uint32_t *count, uint32_t index);

/* memory_register, memory_unregister -- note that the recorder maps, unmaps, memory by other means.
 *
 * memory_for_each() then visits it. Async-signal-safe.
 */
void memory_register(uint64_t start, uint64_t size);
void memory_unregister(uint64_t start);

/* memory_for_each -- call visit(start, size, data) for all that the recorder has mapped.
 *
 * visit must not map. Another thread's may be missing if it is being mapped.
 * Returns how many there are, also without a visit (NULL).
 */
uint64_t memory_for_each(void (*visit)(uint64_t start, uint64_t size, void *data), void *data);

#endif
