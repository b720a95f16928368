/* pools.c -- pools and their blocks: one hash table of nodes, and a list per pool.
 *
 * The table holds both kinds of nodes. The owner of a pool is 0; that of a block is the number of
 * its pool's node. The lock is held for single steps only, never while a block is ended.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/pools.h"

#include <string.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/recorder.h"

#define FIRST_LOG2 10
#define LAST_LOG2 30
#define GONE UINT32_MAX /* owner of a node that is free */

/* Numbers of nodes: 0 is none. */
struct pool_node {
	uint64_t address; /* of a block; the address by which the program names a pool */
	uint64_t size;	  /* of a block */
	uint32_t owner;
	uint32_t flags; /* of a pool: enum pool_flag */
	uint32_t chain; /* next with this hash, or next free one */
	uint32_t first; /* of a pool: its blocks */
	uint32_t previous, next; /* of a block: in its pool's list */
};

static struct {
	struct pool_node *nodes;
	uint32_t *buckets; /* as many as nodes */
	unsigned int log2; /* of the room for nodes */
	uint32_t count;	   /* of nodes that were ever used, number 0 included */
	uint32_t free;	   /* first of the free ones, 0 none */
} table;

/* ---- the table, under the lock ----------------------------------------------------------- */

static uint32_t *find_bucket(uint32_t owner, uint64_t address)
{
	uint64_t hash = (address + owner * UINT64_C(0xC2B2AE3D27D4EB4F)) *
			UINT64_C(0x9E3779B97F4A7C15);

	return &table.buckets[hash >> (64 - table.log2)];
}

static uint32_t find_node(uint32_t owner, uint64_t address)
{
	uint32_t i = table.buckets ? *find_bucket(owner, address) : 0;

	while (i && (table.nodes[i].address != address || table.nodes[i].owner != owner))
		i = table.nodes[i].chain;
	return i;
}

static void insert_hash(uint32_t i)
{
	uint32_t *bucket = find_bucket(table.nodes[i].owner, table.nodes[i].address);

	table.nodes[i].chain = *bucket;
	*bucket = i;
}

static void remove_hash(uint32_t i)
{
	uint32_t *link = find_bucket(table.nodes[i].owner, table.nodes[i].address);

	while (*link && *link != i)
		link = &table.nodes[*link].chain;
	*link = table.nodes[i].chain;
}

static bool grow_table(void)
{
	unsigned int log2 = table.nodes ? table.log2 + 1 : FIRST_LOG2;
	uint64_t old = table.nodes ? UINT64_C(1) << table.log2 : 0;
	struct pool_node *bigger = log2 <= LAST_LOG2 ? memory_map(sizeof(*bigger) << log2) : NULL;
	uint32_t *more = bigger ? memory_map(sizeof(*more) << log2) : NULL;

	if (!more) {
		if (bigger)
			memory_unmap(bigger, sizeof(*bigger) << log2);
		return false;
	}
	if (table.nodes) {
		memcpy(bigger, table.nodes, old * sizeof(*table.nodes));
		memory_unmap(table.nodes, old * sizeof(*table.nodes));
		memory_unmap(table.buckets, old * sizeof(*table.buckets));
	}
	table.nodes = bigger;
	table.buckets = more;
	table.log2 = log2;
	table.count += !table.count;
	for (uint32_t i = 1; i < table.count; i++)
		if (table.nodes[i].owner != GONE)
			insert_hash(i);
	return true;
}

static uint32_t add_node(uint32_t owner, uint64_t address)
{
	uint32_t i = table.free;

	if (i)
		table.free = table.nodes[i].chain;
	else if ((table.nodes && table.count < UINT32_C(1) << table.log2) || grow_table())
		i = table.count++;
	else
		return 0;
	table.nodes[i] = (struct pool_node){ .address = address, .owner = owner };
	insert_hash(i);
	return i;
}

static void insert_in_list(uint32_t pool, uint32_t i)
{
	table.nodes[i].previous = 0;
	table.nodes[i].next = table.nodes[pool].first;
	if (table.nodes[pool].first)
		table.nodes[table.nodes[pool].first].previous = i;
	table.nodes[pool].first = i;
}

static void remove_from_list(uint32_t i)
{
	if (table.nodes[i].previous)
		table.nodes[table.nodes[i].previous].next = table.nodes[i].next;
	else
		table.nodes[table.nodes[i].owner].first = table.nodes[i].next;
	if (table.nodes[i].next)
		table.nodes[table.nodes[i].next].previous = table.nodes[i].previous;
}

static void release_node(uint32_t i)
{
	table.nodes[i].owner = GONE;
	table.nodes[i].chain = table.free;
	table.free = i;
}

static void remove_pool_block(uint32_t i)
{
	remove_hash(i);
	remove_from_list(i);
	release_node(i);
}

/* ---- pools ------------------------------------------------------------------------------- */

bool pools_create(uint64_t pool, uint32_t flags)
{
	uint32_t i = 0;

	if (!spin_lock(&locks.pools))
		return false;
	if (!find_node(0, pool)) {
		i = add_node(0, pool);
		if (i)
			table.nodes[i].flags = flags;
	}
	spin_unlock(&locks.pools);
	return i != 0;
}

/* The end of a block whose node is gone. */
static bool end_pool_block(struct thread *thread, const struct call_site *place,
			   const struct pool_node *block, uint32_t flags)
{
	if (!(flags & POOL_METAPOOL))
		return client_block_free(thread, place, block->address);
	if (flags & POOL_AUTO_FREE)
		client_block_free_inside(thread, place, block->address,
					 block->address + block->size);
	return true;
}

/* Takes the first block from a pool that no address leads to any more. Removes the pool when it has
 * no block left. */
static bool take_first_block(uint32_t pool, struct pool_node *block)
{
	if (!spin_lock(&locks.pools))
		return false;
	uint32_t i = table.nodes[pool].first;
	if (i) {
		*block = table.nodes[i];
		remove_pool_block(i);
	} else {
		remove_hash(pool);
		release_node(pool);
	}
	spin_unlock(&locks.pools);
	return i != 0;
}

bool pools_destroy(struct thread *thread, const struct call_site *place, uint64_t pool)
{
	uint32_t i, flags = 0;
	struct pool_node block;

	if (!spin_lock(&locks.pools))
		return false;
	i = find_node(0, pool);
	if (i) {
		remove_hash(i);
		table.nodes[i].owner = i; /* itself, so that no address leads to it */
		table.nodes[i].address = 0;
		insert_hash(i);
		flags = table.nodes[i].flags;
	}
	spin_unlock(&locks.pools);
	while (i && take_first_block(i, &block))
		end_pool_block(thread, place, &block, flags);
	return i != 0;
}

bool pools_exist(uint64_t pool)
{
	if (!spin_lock(&locks.pools))
		return false;
	uint32_t i = find_node(0, pool);
	spin_unlock(&locks.pools);
	return i != 0;
}

bool pools_move(uint64_t pool, uint64_t to)
{
	uint32_t i = 0;

	if (!spin_lock(&locks.pools))
		return false;
	if (pool == to || !find_node(0, to))
		i = find_node(0, pool);
	if (i) {
		remove_hash(i);
		table.nodes[i].address = to;
		insert_hash(i);
	}
	spin_unlock(&locks.pools);
	return i != 0;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Takes the node of a block out of its pool. *flags gets those of the pool. */
static bool take_pool_block(uint64_t pool, uint64_t address, struct pool_node *block,
			    uint32_t *flags)
{
	if (!spin_lock(&locks.pools))
		return false;
	uint32_t p = find_node(0, pool);
	uint32_t i = p ? find_node(p, address) : 0;
	if (i) {
		*block = table.nodes[i];
		*flags = table.nodes[p].flags;
		remove_pool_block(i);
	}
	spin_unlock(&locks.pools);
	return i != 0;
}

static bool add_pool_block(uint64_t pool, uint64_t address, uint64_t size, uint32_t *flags)
{
	uint32_t i = 0;

	if (!spin_lock(&locks.pools))
		return false;
	uint32_t p = find_node(0, pool);
	if (p) {
		i = find_node(p, address);
		if (!i) {
			i = add_node(p, address);
			if (i)
				insert_in_list(p, i);
		}
		*flags = table.nodes[p].flags;
		if (i)
			table.nodes[i].size = size;
	}
	spin_unlock(&locks.pools);
	return i != 0;
}

bool pools_alloc(struct thread *thread, const struct call_site *place, uint64_t pool,
		 uint64_t address, uint64_t size)
{
	uint32_t flags;

	if (!address)
		return true;
	if (!add_pool_block(pool, address, size, &flags))
		return false;
	return flags & POOL_METAPOOL || client_block_alloc(thread, place, address, size);
}

bool pools_free(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t address)
{
	struct pool_node block;
	uint32_t flags;

	return take_pool_block(pool, address, &block, &flags) &&
	       end_pool_block(thread, place, &block, flags);
}

bool pools_change(struct thread *thread, const struct call_site *place, uint64_t pool,
		  uint64_t address, uint64_t to, uint64_t size)
{
	struct pool_node block;
	uint32_t flags;

	if (!to || !take_pool_block(pool, address, &block, &flags))
		return false;
	add_pool_block(pool, to, size, &flags);
	return flags & POOL_METAPOOL || client_block_resize(thread, place, address, to, size);
}

/* Copies the block after number *at of a pool's list, 0 to begin with. The walk only ends early if
 * other threads free blocks meanwhile. */
static bool next_pool_block(uint64_t pool, uint32_t *at, struct pool_node *block)
{
	if (!spin_lock(&locks.pools))
		return false;
	uint32_t p = find_node(0, pool);
	uint32_t i = !p				 ? 0 :
		     !*at			 ? table.nodes[p].first :
		     table.nodes[*at].owner == p ? table.nodes[*at].next :
						   0;
	if (i)
		*block = table.nodes[i];
	*at = i;
	spin_unlock(&locks.pools);
	return i != 0;
}

static void trim_pool_block(struct thread *thread, const struct call_site *place, uint64_t pool,
			    const struct pool_node *block, uint64_t start, uint64_t end)
{
	uint64_t block_end = block->address + block->size;
	uint64_t low = block->address > start ? block->address : start;
	uint64_t high = block_end < end ? block_end : end;

	if (low >= high)
		pools_free(thread, place, pool, block->address);
	else if (low != block->address || high != block_end)
		pools_change(thread, place, pool, block->address, low, high - low);
}

bool pools_trim(struct thread *thread, const struct call_site *place, uint64_t pool,
		uint64_t start, uint64_t size)
{
	uint32_t at = 0;
	struct pool_node block, before;
	uint64_t end = start + size < start ? UINT64_MAX : start + size;
	bool has_before = false;

	if (!pools_exist(pool))
		return false;
	/* Trims one step behind, as the block at the cursor may go; new blocks enter at the
	 * front. */
	while (next_pool_block(pool, &at, &block)) {
		if (has_before)
			trim_pool_block(thread, place, pool, &before, start, end);
		before = block;
		has_before = true;
	}
	if (has_before)
		trim_pool_block(thread, place, pool, &before, start, end);
	return true;
}

void pools_forget(void)
{
	table.nodes = NULL;
	table.buckets = NULL;
	table.count = table.free = 0;
}
