/* arena.h -- memory of this process's image: allocated once, never given back.
 *
 * Tables and blocks grow from the bottom, log chunks from the top: so the part that a fork has to
 * copy, [0, used), is dense and holds no log.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/locks.h"
#include "recording/recording.h"

/* The locks of this process; the emulator's plugin uses those of the process that it emulates. */
extern HIDDEN struct arena_locks *arena_locks;

/* arena_alloc -- allocate zeroed memory from the bottom of the image.
 *
 * size   bytes.
 * align  a power of two, at most MU_PAGE.
 * Returns the offset, 0 if the arena is full (noted in the image).
 * Thread-safe, async-signal-safe. Cost one atomic; populating new pages now and then.
 */
uint64_t arena_alloc(uint64_t size, uint64_t align);

/* arena_filled -- return the length of the part that a copy of the image has to hold, bytes.
 *
 * This is all that arena_alloc() has returned and that is backed by memory: mu_image.used also
 * counts requests for which the system had no memory. Async-signal-safe.
 */
uint64_t arena_filled(void);

/* The parts of the image that are backed by memory, or are being backed right now, in bytes: tables
 * from its start, log chunks before its end. */
struct arena_extent {
	uint64_t tables_end, log_bytes;
};

/* arena_extent -- return what an event that is not over may touch, whichever moment it is at.
 *
 * For a handler that interrupts an event. Async-signal-safe; the event may be another thread's.
 */
struct arena_extent arena_extent(void);

/* arena_alloc_log -- allocate zeroed memory from the top of the image, for log chunks.
 *
 * size   bytes, rounded up to pages.
 * Returns the offset, page-aligned; 0 if the arena is full. Thread-safe, async-signal-safe.
 */
uint64_t arena_alloc_log(uint64_t size);

/* arena_populate -- back a range of mapped memory, so that touching it cannot fault.
 *
 * start   the beginning of a page that was not written to yet.
 * length  bytes.
 * Returns false if the system has no memory or disk space for it. In a sandbox it touches the pages
 * and returns true, but false for those of a file that arena_prepare() did not populate.
 * Async-signal-safe. Cost per page, on a kernel without MADV_POPULATE_WRITE (before 5.14): a system
 * call.
 */
bool arena_populate(void *start, uint64_t length);

/* arena_prepare -- populate memory for what is recorded in a sandbox, if the image is in a file.
 *
 * What does not fit into it is not recorded then. Call it before the sandbox begins.
 */
void arena_prepare(void);

/* arena_table_at -- return the address of an entry of a table; allocate its extent if needed.
 *
 * table   in this image, entry_size set; index may be at or beyond count.
 * Returns the entry (zeroed when new), NULL if the arena is full.
 * Thread-safe against itself by the table lock; async-signal-safe.
 */
void *arena_table_at(struct mu_table *table, uint64_t index);

/* arena_reserve_run -- reserve a run of cells of a section for the calling thread.
 *
 * next  becomes the number of the first, counted in entries from the start of the image; end: the
 *       number after the last. A run never crosses an extent.
 * Returns false if the arena is full. Readers see the cells zeroed, which changes no sum.
 * Thread-safe, async-signal-safe.
 */
bool arena_reserve_run(unsigned int section, uint32_t *next, uint32_t *end);

/* arena_table_init -- set up an empty table and announce its section.
 *
 * section     enum mu_section.
 * entry_size  bytes, a multiple of 8; first_log2 as in struct mu_table.
 * Returns the table.
 */
struct mu_table *arena_table_init(unsigned int section, uint32_t entry_size, uint32_t first_log2);

/* arena_string -- copy bytes into the image.
 *
 * bytes   length bytes, cut after limit.
 * Returns the string; offset 0 if the arena is full. Async-signal-safe.
 */
struct mu_string arena_string(const char *bytes, uint64_t length, uint64_t limit);
