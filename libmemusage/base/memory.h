/* memory.h -- private memory of the recorder, for tables that only this process reads.
 *
 * Tables that the tools read are in the arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* memory_map -- map zeroed private memory, page-aligned, lazily backed.
 *
 * Returns NULL if the kernel refuses, or if what was prepared for a sandbox is used up.
 * Async-signal-safe; not seen by mmap's interposition.
 */
void *memory_map(uint64_t size);

/* memory_reserve -- map as memory_map(), but count none of it: memory_count() does that later.
 *
 * Returns NULL if the kernel refuses. Async-signal-safe.
 */
void *memory_reserve(uint64_t size);

/* memory_prepare -- map the memory that memory_map() and memory_reserve() give out in a sandbox.
 *
 * 64 MiB, or a sixteenth of the program's limits, or what the kernel grants; pages that are not
 * used take none. Call before the sandbox is on; later calls do nothing. Async-signal-safe.
 */
void memory_prepare(void);

/* memory_limit_prepared -- unmap all but `keep` bytes of the prepared memory that is unused.
 *
 * No other thread may be in the hook. Async-signal-safe.
 */
void memory_limit_prepared(uint64_t keep);

/* memory_count -- count `change` more bytes as the recorder's; negative modulo 2^64: fewer.
 *
 * Thread-safe, async-signal-safe.
 */
void memory_count(uint64_t change);

/* memory_publish -- have memory_count() store the sum in *where, from its next call on. */
void memory_publish(uint64_t *where);

/* memory_unmap -- unmap all of what memory_map() returned, `size` bytes. Async-signal-safe. */
void memory_unmap(void *start, uint64_t size);

/* memory_grow_numbers -- double an array of 32-bit numbers until it has an entry `index`.
 *
 * array  NULL at first; replaced, and the old one is unmapped.
 * count  of its entries, updated; new ones are 0.
 * Returns false, and changes nothing, without memory. Async-signal-safe.
 */
bool memory_grow_numbers(uint32_t **array, uint32_t *count, uint32_t index);

/* memory_register, memory_unregister -- note that the recorder maps, unmaps, memory by other means.
 *
 * memory_for_each() then visits it. memory_unregister() returns false if the lock was not free
 * within the bound. Async-signal-safe.
 */
void memory_register(uint64_t start, uint64_t size);
bool memory_unregister(uint64_t start);

/* memory_for_each -- call visit(start, size, data) for each mapping of the recorder.
 *
 * visit  must not map; NULL: only count. A mapping that another thread makes now may be missing.
 * Returns the number of mappings.
 */
uint64_t memory_for_each(void (*visit)(uint64_t start, uint64_t size, void *data), void *data);

/* memory_list -- return where the list of these mappings is told: as mu_examined.own. */
uint64_t memory_list(void);
