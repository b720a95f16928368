/* sites.c -- interning stacks, and the cells of each thread.
 *
 * A known stack costs one look-up of its hash; a new one enters the tree of frames. The table
 * compares 40 bits of a hash, after some 16 to 24 that select the place. Among a million stacks,
 * two collide with probability 1e-6, and would count as one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/sites.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/hash.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/tables/frames.h"
#include "libmemusage/tables/ignore.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/tables/points.h"

#define SITES_LOG2 9
#define SITES_FIRST_LOG2 4
#define CELLS_FIRST_LOG2 3

/* The bits of an entry, which is one word because look-ups in a large table miss the caches. */
#define SITE_BITS 24
#define SITE_MASK ((UINT64_C(1) << SITE_BITS) - 1)

/* Replaced tables stay mapped for readers, which take no lock; see rules.c. */
struct site_index {
	uint64_t mask;
	unsigned int shift;
	uint64_t entry[]; /* low bits of the hash, then the site's number + 1; 0: unused */
};

static struct {
	struct site_index *index;
	uint64_t count;	      /* sites in the index: all */
	struct thread massif; /* owner of the cells of sites_charge() */
} sites;

/* Appends an entry to a table. Returns its address, NULL if the arena is full. The caller
 * sets it before publish_entry(). */
static void *append_entry(unsigned int section, uint32_t *number)
{
	uint64_t count = section_table(section)->count;

	if (count > UINT32_MAX - 1)
		return NULL;
	*number = (uint32_t)count;
	return arena_table_at(section_table(section), count);
}

static void publish_entry(unsigned int section)
{
	__atomic_store_n(&section_table(section)->count, section_table(section)->count + 1,
			 __ATOMIC_RELEASE);
}

/* ---- sites ------------------------------------------------------------------------------- */

static struct site_index *make_site_index(unsigned int log2)
{
	struct site_index *index = memory_map(sizeof(*index) + (sizeof(index->entry[0]) << log2));

	if (!index)
		return NULL;
	index->mask = (UINT64_C(1) << log2) - 1;
	index->shift = 64 - log2;
	return index;
}

static void index_insert(struct site_index *index, uint64_t hash, uint32_t site)
{
	uint64_t i = hash >> index->shift;

	while (index->entry[i])
		i = (i + 1) & index->mask;
	__atomic_store_n(&index->entry[i], hash << SITE_BITS | (site + 1), __ATOMIC_RELEASE);
}

static bool index_lookup(uint64_t hash, uint32_t *site)
{
	const struct site_index *index = __atomic_load_n(&sites.index, __ATOMIC_ACQUIRE);
	uint64_t found;

	for (uint64_t i = hash >> index->shift;
	     (found = __atomic_load_n(&index->entry[i], __ATOMIC_ACQUIRE));
	     i = (i + 1) & index->mask)
		if (likely(!((found ^ hash << SITE_BITS) >> SITE_BITS))) {
			*site = (uint32_t)(found & SITE_MASK) - 1;
			return true;
		}
	return false;
}

/* Inserts all sites into a larger index: the recording has their whole hashes. */
static void index_grow(void)
{
	struct site_index *bigger = make_site_index(65 - sites.index->shift);
	const struct mu_stack *stack;

	if (!bigger)
		return;
	for (uint32_t i = 0; i < sites.count; i++) {
		const struct mu_site *site = arena_table_at(section_table(MU_SEC_SITES), i);

		stack = site ? arena_table_at(section_table(MU_SEC_STACKS), site->stack) : NULL;
		if (stack)
			index_insert(bigger, stack->hash, i);
	}
	__atomic_store_n(&sites.index, bigger, __ATOMIC_RELEASE);
}

static uint16_t site_flags_of_fn(unsigned int fn)
{
	switch (fn) {
	case MU_SITE_FN_BLOCK:
		return MU_SITE_REQUEST;
	case MU_SITE_FN_NESTED:
		return MU_SITE_REQUEST | MU_SITE_NESTED;
	case MU_SITE_FN_AD_HOC:
		return MU_SITE_REQUEST | MU_SITE_AD_HOC;
	case MU_SITE_FN_PAGES:
		return MU_SITE_PAGES;
	default:
		return 0;
	}
}

#define NO_ORIGIN UINT32_MAX

/* The point of a new site. Needs the lock. */
static uint32_t point_of_new_site(const struct walk *walk, uint32_t number, uint32_t origin)
{
	const struct mu_site *from;

	if (!rec.image->points)
		return 0;
	from = origin == NO_ORIGIN ? NULL : arena_table_at(section_table(MU_SEC_SITES), origin);
	return from ? from->point : points_find(walk, number);
}

/* Needs the lock. Inlined, as the stack may have no room for another frame: stack_room.t. */
static inline __attribute__((always_inline)) uint32_t add_new_site(struct walk *walk,
								   unsigned int fn, uint64_t hash,
								   uint16_t site_flags,
								   uint32_t origin)
{
	bool has_room = sites.count < sites.index->mask && sites.count < SITE_MASK;
	uint32_t frame = has_room && walk ? frames_find_node(walk) : 0;
	unsigned int flags = walk && walk->count ? walk->flags[walk->count - 1]
						 : MU_STACK_TRUNCATED;
	uint32_t stack_number = 0, number = 0;
	struct mu_stack *stack = has_room ? append_entry(MU_SEC_STACKS, &stack_number) : NULL;
	struct mu_site *site = has_room ? append_entry(MU_SEC_SITES, &number) : NULL;

	if (!stack || !site || (walk && walk->count && !frame)) {
		rec.image->drops.sites++;
		return 0;
	}
	*stack = (struct mu_stack){ hash, frame, (walk ? walk->count << 8 : 0) | flags };
	publish_entry(MU_SEC_STACKS);
	*site = (struct mu_site){ .stack = stack_number,
				  .fn = (uint16_t)fn,
				  .flags = site_flags | site_flags_of_fn(fn),
				  .first = sites_tick(),
				  .point = point_of_new_site(walk, number, origin),
				  .label = walk ? walk->label : 0 };
	publish_entry(MU_SEC_SITES);
	if (sites.count * 4 > sites.index->mask * 3)
		index_grow();
	index_insert(sites.index, hash, number);
	sites.count++;
	return number;
}

static __attribute__((noinline)) uint32_t find_or_add_site(struct walk *walk, unsigned int fn,
							   uint64_t hash, uint32_t origin)
{
	uint32_t site = 0;

	if (walk->known_only)
		return 0;
	uint16_t flags = fn == MU_FN_FREE ? MU_SITE_FREE : 0;
	/* Without the lock, because it may wait for the collector. */
	if (!flags && rec.flags & MU_CFG_IGNORE && ignore_stack(walk))
		flags = MU_SITE_IGNORED;
	if (!spin_lock(&locks.sites))
		return 0;
	if (!index_lookup(hash, &site))
		site = add_new_site(walk, fn, hash, flags, origin);
	spin_unlock(&locks.sites);
	return site;
}

static uint64_t hash_of_stack(const struct walk *walk, unsigned int fn)
{
	uint64_t hash = walk->count ? walk->frame[walk->count - 1].hash : 0;

	return hash_spread(hash + fn + 1) ^ hash_spread(walk->label);
}

uint32_t sites_find(struct walk *walk, unsigned int fn)
{
	uint64_t hash;
	uint32_t site = 0;

	if (unlikely(!walk))
		return 0;
	hash = hash_of_stack(walk, fn);
	hash += !hash;
	/* A loop has the same stack again: this touches no other cache line than the walk's. */
	if (walk->site_hash == hash && walk->site_generation == walk->generation)
		return walk->site;
	if (unlikely(!index_lookup(hash, &site)))
		return find_or_add_site(walk, fn, hash, NO_ORIGIN);
	walk->site_hash = hash;
	walk->site_generation = walk->generation;
	walk->site = site;
	return site;
}

uint32_t sites_find_from(struct walk *walk, unsigned int fn, uint32_t origin)
{
	const struct mu_site *from = arena_table_at(section_table(MU_SEC_SITES), origin);
	uint64_t hash;
	uint32_t site = 0;

	if (!walk || !from)
		return origin;
	hash = hash_spread(hash_of_stack(walk, fn) ^ hash_spread(from->point));
	hash += !hash;
	return index_lookup(hash, &site) ? site : find_or_add_site(walk, fn, hash, origin);
}

bool sites_module(uint64_t pc, struct sites_module *module)
{
	if (!spin_lock(&locks.sites))
		return false;
	const struct mu_module *m = modules_note(pc);
	if (m)
		*module = (struct sites_module){ m->start, m->end, m->bias, modules_number(m) };
	spin_unlock(&locks.sites);
	return m;
}

bool sites_is_ignored(uint32_t site)
{
	const struct mu_site *s = arena_table_at(section_table(MU_SEC_SITES), site);

	return s && s->flags & MU_SITE_IGNORED;
}

void sites_charge(uint32_t site, uint64_t size)
{
	if (!spin_lock(&locks.accounting))
		return;
	struct mu_cell *cell = sites_cell(&sites.massif, site);
	if (cell) {
		cell->flags = MU_CELL_MASSIF;
		cell->live_bytes += (int64_t)size;
		cell->live_blocks++;
		cell->total_blocks++;
	}
	spin_unlock(&locks.accounting);
}

/* ---- cells ------------------------------------------------------------------------------- */

void sites_keep_peak_slow(struct mu_cell *cell, uint32_t epoch)
{
	if (site_totals_tracked.is_on && (int32_t)(cell->epoch - site_totals_tracked.epoch) < 0)
		site_totals_note_change(sites_cell_number(cell));
	cell->peak_bytes = cell->live_bytes;
	cell->peak_blocks = cell->live_blocks;
	cell->epoch = epoch;
}

struct mu_cell *sites_cell_slow(struct thread *thread, uint32_t site)
{
	if (site >= thread->cell_sites &&
	    !memory_grow_numbers(&thread->cell_of, &thread->cell_sites, site))
		return NULL;
	if (thread->cell_next == thread->cell_end &&
	    !arena_reserve_run(MU_SEC_CELLS, &thread->cell_next, &thread->cell_end)) {
		count_drop(sites);
		return NULL;
	}
	uint32_t number = thread->cell_next++;
	struct mu_cell *cell = arena_at((uint64_t)number * sizeof(*cell));
	cell->site = site;
	cell->thread = thread->pub.tid;
	cell->epoch = rec.image->heap.epoch;
	if (rec.image->points)
		cell->point = points_of(site);
	thread->cell_of[site] = number;
	if (site_totals_tracked.is_on)
		site_totals_note_change(number);
	return cell;
}

bool sites_init(void)
{
	arena_table_init(MU_SEC_STACKS, sizeof(struct mu_stack), SITES_FIRST_LOG2);
	arena_table_init(MU_SEC_SITES, sizeof(struct mu_site), SITES_FIRST_LOG2);
	arena_table_init(MU_SEC_CELLS, sizeof(struct mu_cell), CELLS_FIRST_LOG2);
	sites.index = make_site_index(SITES_LOG2);
	sites.count = 0;
	sites.massif = (struct thread){ 0 };
	ignore_init();
	return sites.index && frames_init() &&
	       add_new_site(NULL, MU_FN_MALLOC, 1, 0, NO_ORIGIN) == 0;
}
