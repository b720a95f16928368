/* pages_calls.c -- the effect of each call of the mmap family on the pages that are mapped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/pages/pages_calls.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "libmemusage/base/maps.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"

#define HUGE_LOG2 21u /* of pages whose size is not named */
#define HUGE_SHIFT 26u

uint64_t pages_pc[PAGES_FNS];

static struct {
	uint64_t break_end;	/* of whole pages */
	struct ranges segments; /* of shared memory that is attached, for their lengths */
} known;

static struct mu_counters *counters_of(struct thread *thread)
{
	return &thread->pub.counters;
}

static void count_failed(struct thread *thread, enum mu_fn fn)
{
	counters_of(thread)->calls[fn]++;
	counters_of(thread)->failed[fn]++;
}

/* Rounds a length up to pages, huge or not, as the kernel does. */
static uint64_t round_to_pages(uint64_t length, int flags)
{
	unsigned int log2 = (unsigned int)flags >> HUGE_SHIFT & 63;
	uint64_t page = MU_PAGE;

	if (flags & MAP_HUGETLB)
		page = UINT64_C(1) << (log2 ? log2 : HUGE_LOG2);
	return (length + page - 1) & -page;
}

/* This and change_break() are functions of their own, so that their frames are not there while a
 * stack is walked: tests/e2e/stack_room.t. */
static __attribute__((noinline)) void add_mapping(struct thread *thread,
						  const struct pages_place *place, uint32_t site,
						  enum mu_fn fn, uint64_t start, uint64_t length)
{
	int64_t change;

	if (!pages_lock())
		return;
	count_call(counters_of(thread), fn, length, length);
	change = pages_add(thread, site, start, start + length);
	pages_unlock();
	pages_done(thread, change, place->sp);
}

/* Records that a call mapped [start, start + length). */
static void record_mapped(struct thread *thread, const struct pages_place *place, enum mu_fn fn,
			  uint64_t start, uint64_t length)
{
	add_mapping(thread, place, pages_site(thread, place, false), fn, start, length);
}

/* ---- mmap, munmap ------------------------------------------------------------------------ */

static int flags_of_mmap(const struct pages_op *op)
{
	return (int)(op->size >> 32);
}

static enum mu_fn fn_of_mmap(const struct pages_op *op)
{
	int prot = (int)(uint32_t)op->size;

	return flags_of_mmap(op) & MAP_ANONYMOUS ? MU_FN_MMAP_A
	       : prot & PROT_WRITE		 ? MU_FN_MMAP_W
						 : MU_FN_MMAP_R;
}

/* The walk comes first, so that the program's stack holds as little as possible meanwhile. */
void pages_mmap(struct thread *thread, const struct pages_place *place, void *result,
		const struct pages_op *op)
{
	uint32_t site;

	if (result == MAP_FAILED) {
		count_failed(thread, fn_of_mmap(op));
		return;
	}
	site = pages_site(thread, place, false);
	add_mapping(thread, place, site, fn_of_mmap(op), (uint64_t)result,
		    round_to_pages(op->length, flags_of_mmap(op)));
}

/* Takes pages out of the list before the call, as another thread can get the addresses before it
 * returns. They count until then. */
static void hold_range(struct pages_op *op)
{
	uint64_t end = op->start + pages_up(op->length);

	if (op->start % MU_PAGE || !op->length || end <= op->start || !pages_lock())
		return;
	op->held = pages_hold(op->start, end);
	pages_unlock();
}

void pages_munmap_begin(struct pages_op *op, uint64_t start, uint64_t length)
{
	op->start = start;
	op->length = length;
	hold_range(op);
}

void pages_munmap_end(struct thread *thread, const struct pages_place *place,
		      const struct pages_op *op, bool failed)
{
	uint32_t by = failed ? 0 : pages_site(thread, place, true);
	uint64_t gone = 0;

	counters_of(thread)->calls[MU_FN_MUNMAP]++;
	counters_of(thread)->failed[MU_FN_MUNMAP] += failed;
	if (!op->held || !pages_lock())
		return;
	if (failed)
		pages_put_back(op->held);
	else
		gone = pages_release_held(thread, op->held, UINT64_MAX, by);
	counters_of(thread)->bytes[MU_FN_MUNMAP] += gone;
	pages_unlock();
	pages_done(thread, -(int64_t)gone, place->sp);
}

/* ---- mremap ------------------------------------------------------------------------------ */

void pages_mremap_begin(struct pages_op *op, uint64_t start, uint64_t length, uint64_t size,
			int flags)
{
	op->start = start;
	op->length = length;
	op->size = size;
#ifdef MREMAP_DONTUNMAP
	if (flags & MREMAP_DONTUNMAP)
		return;
#else
	(void)flags;
#endif
	hold_range(op);
}

/* In Massif's order: what moves goes and comes, then the end changes. Under the lock. */
static int64_t move_mapping(struct thread *thread, const struct pages_op *op, uint64_t to,
			    uint32_t site, uint32_t by)
{
	uint64_t old = pages_up(op->length), new = pages_up(op->size);
	uint64_t moved = old < new ? old : new;
	int64_t change = 0;

	if (to == op->start) {
		pages_put_back_below(op->held, op->start + moved);
	} else if (op->held) {
		change -= (int64_t)pages_release_held(thread, op->held, op->start + moved, by);
		change += pages_add(thread, site, to, to + moved);
	} else {
		moved = 0; /* a second mapping of the same */
	}
	if (new > moved)
		change += pages_add(thread, site, to + moved, to + new);
	return change - (int64_t)pages_release_held(thread, op->held, UINT64_MAX, by);
}

static void count_mremap(struct thread *thread, const struct pages_op *op, bool is_moved,
			 uint64_t growth)
{
	count_call(counters_of(thread), MU_FN_MREMAP, growth, op->size);
	counters_of(thread)->mremap_nomove += !is_moved;
	counters_of(thread)->mremap_dec += op->length > op->size;
}

void pages_mremap_end(struct thread *thread, const struct pages_place *place,
		      const struct pages_op *op, void *result)
{
	bool failed = result == MAP_FAILED;
	uint32_t site = failed ? 0 : pages_site(thread, place, false);
	uint32_t by = failed ? 0 : pages_site(thread, place, true);
	int64_t change = 0;

	if (!pages_lock())
		return;
	if (failed) {
		pages_put_back(op->held);
		count_failed(thread, MU_FN_MREMAP);
	} else {
		change = move_mapping(thread, op, (uint64_t)result, site, by);
		count_mremap(thread, op, (uint64_t)result != op->start,
			     change > 0 ? (uint64_t)change : 0);
		counters_of(thread)->bytes[MU_FN_MUNMAP] += change < 0 ? -(uint64_t)change : 0;
	}
	pages_unlock();
	pages_done(thread, change, place->sp);
}

/* ---- brk --------------------------------------------------------------------------------- */

static uint64_t read_break(void)
{
	return pages_up((uint64_t)PROGRAM_SYS1(SYS_brk, 0));
}

void pages_brk_start(void)
{
	known.break_end = read_break();
}

static __attribute__((noinline)) void change_break(struct thread *thread,
						   const struct pages_place *place, uint32_t site,
						   uint32_t by)
{
	int64_t change = 0;

	if (!pages_lock())
		return;
	uint64_t old = known.break_end, new = read_break();
	known.break_end = new;
	if (new > old) {
		count_call(counters_of(thread), MU_FN_MMAP_A, new - old, new - old);
		change = pages_add(thread, site, old, new);
	} else if (new < old) {
		change = -(int64_t)pages_drop(thread, new, old, PAGES_ANY_SITE, by);
		counters_of(thread)->calls[MU_FN_MUNMAP]++;
		counters_of(thread)->bytes[MU_FN_MUNMAP] += (uint64_t)-change;
	}
	pages_unlock();
	pages_done(thread, change, place->sp);
}

void pages_brk(struct thread *thread, const struct pages_place *place)
{
	const uint32_t site = pages_site(thread, place, false);

	change_break(thread, place, site, pages_site(thread, place, true));
}

/* ---- System V's shared memory ------------------------------------------------------------ */

struct segment_search {
	uint64_t start, length;
};

static bool compare_mapping(const struct maps_line *line, void *data)
{
	struct segment_search *search = data;

	if (line->start == search->start)
		search->length = line->end - line->start;
	return search->length;
}

/* A process that may not ask for a segment's size finds it among the mappings. */
static uint64_t segment_size(int id, uint64_t start)
{
	struct segment_search search = { .start = start };
	struct shmid_ds segment;

	if (!sys_failed(SYS3(SYS_shmctl, id, IPC_STAT, &segment)))
		return pages_up(segment.shm_segsz);
	maps_for_each(NULL, 0, compare_mapping, &search);
	return search.length;
}

void pages_shmat(struct thread *thread, const struct pages_place *place, int id, void *result)
{
	uint64_t start = (uint64_t)result, length;
	struct range old;

	if (result == (void *)-1) {
		count_failed(thread, MU_FN_MMAP_W);
		return;
	}
	length = segment_size(id, start);
	if (!length || !pages_lock())
		return;
	while (ranges_take(&known.segments, start, start + length, &old))
		;
	/* The site keeps neighbours apart. */
	ranges_put(&known.segments, &(struct range){ start, start + length, (uint32_t)(start >> 12),
					       (uint32_t)(start >> 44) });
	pages_unlock();
	record_mapped(thread, place, MU_FN_MMAP_W, start, length);
}

void pages_shmdt_begin(struct pages_op *op, uint64_t start)
{
	op->start = start;
	if (!pages_lock())
		return;
	uint64_t i = ranges_after(&known.segments, start);
	if (i < known.segments.count && known.segments.range[i].start == start)
		op->length = known.segments.range[i].end - start;
	pages_unlock();
	hold_range(op);
}
