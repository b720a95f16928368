/* client_block.c -- blocks that the program announces by a client request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/client_block.h"

#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/block_search.h"
#include "libmemusage/tables/mapping.h"

#define MODES                                                                                   \
	(MODE_MANY | MODE_LOG | MODE_STACKS | MODE_ACCOUNTING | MODE_FREES | MODE_ACCESSES |     \
	 MODE_SAMPLE)
/* In struct block.birth: the block was made by a function that the user named. Such a block belongs
 * to DHAT's points; other announced blocks do not. malloc's blocks use the bit for something
 * else. */
#define IS_NAMED_FUNCTION (UINT64_C(1) << 37)
#define ADDRESS_END (UINT64_C(1) << 57) /* of user space with five levels of page tables */

static struct {
	bool as_massif;
	uint64_t largest; /* bytes of the largest block that counts so far */
} announced;

/* The malloc block around the last nested block: often the next one is nested in it, too. */
static __thread struct {
	uint64_t start, size;
} last_outer;

void client_block_count_as_massif(void)
{
	announced.as_massif = true;
}

static uint32_t find_request_site(struct thread *thread, const struct call_site *place,
				  unsigned int fn, unsigned int mode)
{
	if (!(mode & MODE_STACKS))
		return 0;
	return sites_find(walk_stack(thread, place->slot, place->bp), fn);
}

uint64_t client_block_largest(void)
{
	return __atomic_load_n(&announced.largest, __ATOMIC_RELAXED);
}

static void note_largest_size(uint64_t size)
{
	uint64_t before = client_block_largest();

	while (size > before &&
	       !__atomic_compare_exchange_n(&announced.largest, &before, size, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* ---- inside or not ----------------------------------------------------------------------- */

static bool is_in_last_outer_block(struct thread *thread, uint64_t address, bool many)
{
	struct block block;

	return address - last_outer.start < last_outer.size &&
	       block_search_peek(thread, last_outer.start, MU_BIRTH_OUTER, &block, many) &&
	       address - last_outer.start < block.size;
}

static bool is_in_malloc_block(struct thread *thread, uint64_t address, bool many)
{
	struct block block;
	uint64_t start;

	if (is_in_last_outer_block(thread, address, many))
		return true;
	if (!block_search_find(0, address, BLOCK_SEARCH_REACH, &start, &block, many))
		return false;
	block_search_peek(thread, start, MU_BIRTH_OUTER, &block, many);
	last_outer.start = start;
	last_outer.size = block.size;
	return true;
}

/* An announced block that begins at this very address is replaced, not nested in. */
static bool is_in_counted_block(struct thread *thread, uint64_t address, bool many)
{
	struct block block;
	uint64_t start;

	if (!block_search_find(MU_KEY_ANNOUNCED, address, client_block_largest(), &start, &block,
			       many) ||
	    start == address)
		return false;
	return block_search_peek(thread, block_search_key(MU_KEY_ANNOUNCED, start), MU_BIRTH_OUTER,
				 &block, many);
}

static bool is_nested_block(struct thread *thread, uint64_t address, bool many)
{
	if (announced.as_massif)
		return false;
	if (rec.flags & MU_CFG_PAGES)
		return true;
	return is_in_malloc_block(thread, address, many) ||
	       is_in_counted_block(thread, address, many) ||
	       (rec.flags & MU_CFG_MMAP && mapping_holds(address));
}

/* ---- begin and end ----------------------------------------------------------------------- */

/* Records a change of the heap by a counted block, which may have no bytes, in the depth of the
 * stack, the log and Massif's accounts. */
static void account_change(struct thread *thread, const struct call_site *place,
			   const struct block *block, bool is_new, unsigned int mode)
{
	int64_t change = is_new ? (int64_t)block->size : -(int64_t)block->size;
	int64_t admin = is_new ? (int64_t)snapshot_due.admin : -(int64_t)snapshot_due.admin;
	uint64_t depth = stack_note(thread, place->sp);

	if (mode & MODE_LOG)
		log_append(thread, change, depth, mode & MODE_MANY);
	bool is_ignored = mode & MODE_ACCOUNTING && sites_is_ignored(block->site);
	if (mode & MODE_ACCOUNTING)
		snapshot_log_count_event(is_new ? MU_MASSIF_ALLOCS : MU_MASSIF_FREES, is_ignored);
	if (is_ignored)
		snapshots_ignored(thread, change, mode & MODE_MANY);
	else if (mode & MODE_STACKS)
		snapshots_changed(thread, admin, block->size + snapshot_due.admin,
				  mode & MODE_MANY);
}

static void record_sampled_block(struct thread *thread, const struct call_site *place,
				 uint64_t space, uint64_t address, uint64_t size)
{
	bool counts = space != MU_KEY_NESTED;
	uint64_t key = block_search_key(space, address);
	unsigned int log2 = sampling_decide(thread, size);
	struct block block = { .size = size, .birth = coarse_clock_advance() & MU_BIRTH_TIME };
	struct sample_weight w;

	if (!log2)
		return;
	block.site = find_request_site(thread, place, counts ? MU_SITE_FN_BLOCK : MU_SITE_FN_NESTED,
				       MODE_STACKS);
	if (!sampled_put(thread, key, &block, log2, &w) || !counts)
		return;
	note_largest_size(size);
	sampled_change_heap(thread, key, &block, &w, 1);
	stack_note(thread, place->sp);
}

static bool record_block(struct thread *thread, const struct call_site *place, uint64_t space,
			 uint64_t address, uint64_t size)
{
	unsigned int mode = gate.mode & MODES;
	uint64_t key = block_search_key(space, address);
	bool counts = space != MU_KEY_NESTED;
	struct block block = { .size = size };

	if (mode & MODE_SAMPLE) {
		record_sampled_block(thread, place, space, address, size);
		return true;
	}
	block.site = find_request_site(thread, place, counts ? MU_SITE_FN_BLOCK : MU_SITE_FN_NESTED,
				       mode);
	if (mode & MODE_STACKS)
		block.birth = sites_tick() & MU_BIRTH_TIME;
	if (counts && place->is_named && gate.mode & MODE_POINTS)
		block.birth |= IS_NAMED_FUNCTION;
	if (!blocks_put(thread, key, &block, mode & MODE_MANY)) {
		block_dropped(size);
		return false;
	}
	if (mode & MODE_STACKS)
		event_add_to_site(thread, (const void *)key, &block, sites_tick(),
			   block.birth & IS_NAMED_FUNCTION ? gate.mode : 0);
	if (counts) {
		note_largest_size(size);
		if (mode & MODE_ACCESSES)
			accesses_add_block(&thread->access, address, size, block.site);
		heap_change(thread, (int64_t)size, mode & MODE_MANY);
		account_change(thread, place, &block, true, mode);
	}
	return true;
}

/* Takes a block out of the table; with samples, out of the heap, too. */
static bool take_block(struct thread *thread, uint64_t key, struct block *block)
{
	struct sample_weight w;

	if (!(gate.mode & MODE_SAMPLE))
		return blocks_take(thread, key, block, gate.mode & MODE_MANY);
	if (!sampled_take(thread, key, block, &w))
		return false;
	if ((key & MU_KEY_SPACE) != MU_KEY_NESTED)
		sampled_change_heap(thread, key, block, &w, -1);
	return true;
}

/* Accounts for a block that was taken out of the table. */
static void account_end(struct thread *thread, const struct call_site *place, uint64_t key,
			const struct block *block, bool counts)
{
	unsigned int mode = gate.mode & MODES;
	uint64_t address = (key & ~MU_KEY_SPACE) >> MU_KEY_SHIFT;

	if (mode & MODE_SAMPLE) {
		if (block->birth & MU_BIRTH_OUTER)
			event_end_nested(thread, address, address + block->size, mode);
		return;
	}
	if (counts && mode & MODE_ACCESSES)
		accesses_remove_block(&thread->access, address);
	if (counts && mode & MODE_FREES)
		sites_count(thread, find_request_site(thread, place, MU_FN_FREE, mode),
			    block->size);
	if (counts && mode & MODE_STACKS)
		snapshots_before_fall(mode & MODE_MANY);
	if (counts)
		heap_change(thread, -(int64_t)block->size, mode & MODE_MANY);
	if (mode & MODE_STACKS) {
		const struct mu_cell *cell = sites_free(thread, block, thread->newest == key,
							sites_tick());
		if (block->birth & IS_NAMED_FUNCTION && cell)
			points_free(cell->point, block->size, mode & MODE_MANY);
	}
	if (block->birth & MU_BIRTH_OUTER)
		event_end_nested(thread, address, address + block->size, mode);
	if (counts)
		account_change(thread, place, block, false, mode);
}

/* Nested blocks first, since a request means the innermost block at an address. Returns its space,
 * 0 if it is not known. */
static uint64_t take_innermost(struct thread *thread, uint64_t address, struct block *block)
{
	if (take_block(thread, block_search_key(MU_KEY_NESTED, address), block))
		return MU_KEY_NESTED;
	if (take_block(thread, block_search_key(MU_KEY_ANNOUNCED, address), block))
		return MU_KEY_ANNOUNCED;
	return 0;
}

/* Ends older announced blocks that begin in [start, end): their memory has a new use. */
static void end_counted_blocks(struct thread *thread, const struct call_site *place, uint64_t start,
			       uint64_t end)
{
	bool many = gate.mode & MODE_MANY;
	struct block block;

	for (; block_search_next(MU_KEY_ANNOUNCED, &start, end, many); start++) {
		uint64_t key = block_search_key(MU_KEY_ANNOUNCED, start);
		if (!take_block(thread, key, &block))
			continue;
		thread->pub.counters.calls[MU_FN_FREE]++;
		thread->pub.counters.bytes[MU_FN_FREE] += block.size;
		account_end(thread, place, key, &block, true);
	}
}

static bool is_possible_range(uint64_t address, uint64_t size)
{
	return address < ADDRESS_END && size <= BLOCK_SIZE_MASK && address + size <= ADDRESS_END;
}

/* Without call stacks no report shows nested blocks, so they are only counted. */
static bool begin_block(struct thread *thread, const struct call_site *place, uint64_t address,
			uint64_t size, bool *counts)
{
	bool many = gate.mode & MODE_MANY;

	*counts = !is_nested_block(thread, address, many);
	if (*counts) {
		end_counted_blocks(thread, place, address, address + (size ? size : 1));
		return record_block(thread, place, MU_KEY_ANNOUNCED, address, size);
	}
	thread->pub.counters.request_nested++;
	if (!(gate.mode & MODE_STACKS))
		return true;
	event_end_nested(thread, address, address + (size ? size : 1), gate.mode & MODES);
	return record_block(thread, place, MU_KEY_NESTED, address, size);
}

bool client_block_alloc(struct thread *thread, const struct call_site *place, uint64_t address,
			uint64_t size)
{
	bool counts;

	if (!address)
		return true;
	if (!is_possible_range(address, size))
		return false;
	if (gate.mode & MODE_PAUSED) {
		thread->pub.counters.paused_calls++;
		thread->pub.counters.paused_bytes += size;
		return true;
	}
	bool ok = begin_block(thread, place, address, size, &counts);
	if (counts)
		count_call(&thread->pub.counters, MU_FN_MALLOC, size, size);
	return ok;
}

bool client_block_may_be_unrecorded(struct thread *thread, uint64_t address)
{
	unsigned int mode = gate.mode;

	return mode & (MODE_PAUSED | MODE_SAMPLE) || rec.was_paused ||
	       (!(mode & MODE_STACKS) && is_nested_block(thread, address, mode & MODE_MANY));
}

bool client_block_is_nested(struct thread *thread, uint64_t address)
{
	return is_nested_block(thread, address, gate.mode & MODE_MANY);
}

bool client_block_take(struct thread *thread, const struct call_site *place, uint64_t address,
		       struct block *block)
{
	uint64_t space = address < ADDRESS_END ? take_innermost(thread, address, block) : 0;

	if (!space)
		return false;
	if (space == MU_KEY_ANNOUNCED) {
		thread->pub.counters.calls[MU_FN_FREE]++;
		thread->pub.counters.bytes[MU_FN_FREE] += block->size;
	}
	account_end(thread, place, block_search_key(space, address), block,
		    space == MU_KEY_ANNOUNCED);
	return true;
}

bool client_block_free(struct thread *thread, const struct call_site *place, uint64_t address)
{
	struct block block;

	if (!address || client_block_take(thread, place, address, &block))
		return true;
	thread->pub.counters.calls[MU_FN_FREE] += (gate.mode & MODE_SAMPLE) != 0;
	return client_block_may_be_unrecorded(thread, address);
}

bool client_block_resize(struct thread *thread, const struct call_site *place, uint64_t address,
			 uint64_t to, uint64_t size)
{
	struct mu_counters *counters = &thread->pub.counters;
	struct block old;
	bool counts;
	uint64_t space = is_possible_range(address, 0) && is_possible_range(to, size)
				 ? take_innermost(thread, address, &old) : 0;

	if (!address || !to)
		return false;
	if (!space && announced.as_massif)
		return client_block_alloc(thread, place, to, size);
	if (!space && !(gate.mode & MODE_SAMPLE))
		return client_block_may_be_unrecorded(thread, address);
	if (space)
		account_end(thread, place, block_search_key(space, address), &old,
			    space == MU_KEY_ANNOUNCED);
	else
		old.size = size;
	begin_block(thread, place, to, size, &counts);
	if (!counts)
		return true;
	counters->realloc_nomove += address == to;
	counters->realloc_dec += size < old.size;
	/* The old size may be unknown with samples; the whole new one counts, as for realloc(). */
	if (gate.mode & MODE_SAMPLE)
		old.size = 0;
	count_call(counters, MU_FN_REALLOC, size > old.size ? size - old.size : 0, size);
	return true;
}

void client_block_free_inside(struct thread *thread, const struct call_site *place, uint64_t start,
			      uint64_t end)
{
	event_end_nested(thread, start, end, gate.mode & MODES);
	end_counted_blocks(thread, place, start, end);
}
