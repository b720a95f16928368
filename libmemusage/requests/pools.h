/* pools.h -- which announced blocks belong to which pool.
 *
 * In private memory: a report needs the blocks, not the pools. A pool is known by whatever
 * address the program gives for it. Thread-safe and async-signal-safe; call inside the hook.
 *
 * The blocks of a metapool (Valgrind's VALGRIND_MEMPOOL_METAPOOL) are room for other blocks, which
 * are announced by themselves: so they are remembered, but not counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_REQUESTS_POOLS_H
#define LIBMEMUSAGE_REQUESTS_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/requests/client_block.h"

/* Source  valgrind.h of Valgrind 3.19, VALGRIND_CREATE_MEMPOOL_EXT. */
enum pool_flag {
	POOL_AUTO_FREE = 1, /* the end of a block ends what is announced inside it */
	POOL_METAPOOL = 2
};

/* pools_create -- there is a pool. Returns false if it is known already, or without memory. */
bool pools_create(uint64_t pool, uint32_t flags);

/* pools_destroy -- it is gone, with its blocks. Returns false if it is not known. */
bool pools_destroy(struct thread *thread, const struct call_site *place, uint64_t pool);

/* pools_alloc -- a block of a pool. Returns false if the pool is not known, or the block is
 * impossible. */
bool pools_alloc(struct thread *thread, const struct call_site *place, uint64_t pool,
		 uint64_t address, uint64_t size);

/* pools_free -- a block of a pool is gone. Returns false if either is not known. */
bool pools_free(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t address);

/* pools_change -- a block of a pool has moved, or has another size. Likewise. */
bool pools_change(struct thread *thread, const struct call_site *place, uint64_t pool,
		  uint64_t address, uint64_t to, uint64_t size);

/* pools_trim -- of all blocks of a pool only what lies in [start, start + size) is left. */
bool pools_trim(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t start, uint64_t size);

/* pools_move -- a pool has another address. */
bool pools_move(uint64_t pool, uint64_t to);

/* pools_exist -- whether there is such a pool. */
bool pools_exist(uint64_t pool);

/* pools_forget -- for a new image: there are none. */
void pools_forget(void);

#endif
