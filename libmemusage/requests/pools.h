/* pools.h -- which announced blocks belong to which pool.
 *
 * The table is in private memory, since a report needs the blocks but not the pools. A pool is
 * known by the address that the program chose for it. Every function is thread-safe and
 * async-signal-safe; call it inside the hook.
 *
 * The blocks of a metapool (Valgrind's VALGRIND_MEMPOOL_METAPOOL) are room for other blocks, which
 * the program announces as well. So they are stored, but not counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/requests/client_block.h"

/* Source  valgrind.h of Valgrind 3.19, VALGRIND_CREATE_MEMPOOL_EXT. */
enum pool_flag {
	POOL_AUTO_FREE = 1, /* the end of a block ends what is announced inside it */
	POOL_METAPOOL = 2
};

/* pools_create -- add a pool. Returns false if it is known already, or without memory. */
bool pools_create(uint64_t pool, uint32_t flags);

/* pools_destroy -- remove a pool and end its blocks. Returns false if it is not known. */
bool pools_destroy(struct thread *thread, const struct call_site *place, uint64_t pool);

/* pools_alloc -- add a block to a pool. Returns false if the pool is not known, or the block is
 * impossible. */
bool pools_alloc(struct thread *thread, const struct call_site *place, uint64_t pool,
		 uint64_t address, uint64_t size);

/* pools_free -- end a block of a pool. Returns false if either is not known. */
bool pools_free(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t address);

/* pools_change -- move or resize a block of a pool. Returns false if either is not known. */
bool pools_change(struct thread *thread, const struct call_site *place, uint64_t pool,
		  uint64_t address, uint64_t to, uint64_t size);

/* pools_trim -- cut all blocks of a pool to their parts in [start, start + size). */
bool pools_trim(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t start, uint64_t size);

/* pools_move -- give a pool another address. Returns false if it is not known. */
bool pools_move(uint64_t pool, uint64_t to);

/* pools_exist -- return whether there is such a pool. */
bool pools_exist(uint64_t pool);

/* pools_forget -- empty the table for a new image. */
void pools_forget(void);
