/* interpose_heap.c -- malloc and its family.
 *
 * Each function calls the real one and records; result, errno and alignment are the real
 * function's. A block of the early static area (real.c) never reaches the real allocator.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libmemusage/depths.h"
#include "libmemusage/event.h"
#include "libmemusage/export.h"
#include "libmemusage/quiet.h"
#include "libmemusage/real.h"

__thread uint32_t copies_quiet;

static __attribute__((noinline)) void *record_rest(enum mu_fn fn, void *block, size_t size,
						   uint64_t sp)
{
	struct thread *thread = hook_enter();

	if (likely(thread)) {
		event_alloc(thread, fn, block, size, sp);
		hook_leave(thread);
	}
	return block;
}

/* With program points. */
static __attribute__((noinline)) void *record_pointed(enum mu_fn fn, void *block, size_t size,
						      uint64_t sp)
{
	if (alloc_quick(fn, block, size, sp, MODE_STACKS | MODE_POINTS) ||
	    alloc_quick(fn, block, size, sp, MODE_STACKS | MODE_POINTS | MODE_MANY))
		return block;
	return record_rest(fn, block, size, sp);
}

static __attribute__((noinline)) void *record_slow(enum mu_fn fn, void *block, size_t size,
						   uint64_t sp)
{
	if (alloc_quick(fn, block, size, sp, MODE_STACKS) ||
	    alloc_quick(fn, block, size, sp, MODE_STACKS | MODE_MANY) ||
	    alloc_quick(fn, block, size, sp, MODE_MANY))
		return block;
	return gate.mode & MODE_POINTS ? record_pointed(fn, block, size, sp) :
					 record_rest(fn, block, size, sp);
}

/* Apart, as it needs few registers: 2 ns less than as one more case of record_slow(). */
static __attribute__((noinline)) void *record_logged(enum mu_fn fn, void *block, size_t size,
						     uint64_t sp)
{
	if (likely(alloc_quick(fn, block, size, sp, MODE_LOG)))
		return block;
	return record_slow(fn, block, size, sp);
}

/* C23; declared by a libc that has them. */
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t align, size_t size);

INLINE void *record(enum mu_fn fn, void *block, size_t size, uint64_t sp)
{
	if (likely(alloc_quick(fn, block, size, sp, 0)))
		return block;
	if (gate.mode == MODE_LOG)
		return record_logged(fn, block, size, sp);
	return record_slow(fn, block, size, sp);
}

/* A product that overflowed is a failed call of no known size. */
static void record_overflow(enum mu_fn fn)
{
	struct thread *thread = hook_enter();

	if (thread) {
		thread->pub.counters.calls[fn]++;
		thread->pub.counters.failed[fn]++;
		hook_leave(thread);
	}
}

EXPORT void *malloc(size_t size)
{
	return record(MU_FN_MALLOC, real.malloc(size), size, hook_sp());
}

void *own_malloc(size_t size)
{
	return record(MU_FN_MALLOC, real.malloc(size), size, hook_sp());
}

EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;
	void *block = real.calloc(count, size);

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		record_overflow(MU_FN_CALLOC);
		return block;
	}
	return record(MU_FN_CALLOC, block, bytes, hook_sp());
}

/* Records a free. Returns whether the real function is to be called. */
INLINE bool record_free(void *block, uint64_t sp)
{
	struct thread *thread = hook_enter();

	if (likely(thread)) {
		bool known = false;
		if (likely(block))
			known = event_free(thread, block, sp);
		else
			thread->pub.counters.calls[MU_FN_FREE]++;
		hook_leave(thread);
		if (likely(known))
			return true;
	}
	return block && !early_owns(block);
}

/* With program points. */
static __attribute__((noinline)) bool free_pointed(void *block, uint64_t sp)
{
	return free_quick(block, sp, MODE_STACKS | MODE_POINTS) ||
	       free_quick(block, sp, MODE_STACKS | MODE_POINTS | MODE_MANY);
}

static __attribute__((noinline)) void free_slow(void *block, uint64_t sp)
{
	if (free_quick(block, sp, MODE_STACKS) || free_quick(block, sp, MODE_STACKS | MODE_MANY) ||
	    free_quick(block, sp, MODE_MANY) ||
	    (gate.mode & MODE_POINTS && free_pointed(block, sp)) || record_free(block, sp))
		real.free(block);
}

static __attribute__((noinline)) void free_logged(void *block, uint64_t sp)
{
	if (likely(free_quick(block, sp, MODE_LOG)))
		real.free(block);
	else
		free_slow(block, sp);
}

EXPORT void free(void *block)
{
	if (likely(free_quick(block, hook_sp(), 0)))
		real.free(block);
	else if (gate.mode == MODE_LOG)
		free_logged(block, hook_sp());
	else
		free_slow(block, hook_sp());
}

/* C23. Where libc has none, the plain free does: sizes are only a hint. Where it has, its
 * function may call free: known by thread->deleting. */
EXPORT void free_sized(void *block, size_t size)
{
	if (!record_free(block, hook_sp()))
		return;
	if (!real.free_sized) {
		real.free(block);
		return;
	}
	event_deleting(block);
	real.free_sized(block, size);
}

EXPORT void free_aligned_sized(void *block, size_t align, size_t size)
{
	if (!record_free(block, hook_sp()))
		return;
	if (!real.free_aligned_sized) {
		real.free(block);
		return;
	}
	event_deleting(block);
	real.free_aligned_sized(block, align, size);
}

/* A block from before dlsym could be asked: move it to the real heap. */
static void *realloc_early(void *block, size_t size, uint64_t sp)
{
	size_t old = early_size(block);
	void *result;

	if (!size)
		return NULL;
	result = real.malloc(size);
	if (result)
		memcpy(result, block, old < size ? old : size);
	return record(MU_FN_REALLOC, result, size, sp);
}

#define REALLOC_MODES \
	(MODE_MANY | MODE_LOG | MODE_STACKS | MODE_BOOKS | MODE_FREES | MODE_ACCESSES | \
	 MODE_POINTS)

/* With call stacks: a block gives way to its successor, in Massif's books. The successor
 * stays in the old room if it fits. Returns the extra bytes it brings. */
static int64_t replace_stacked(struct thread *thread, const void *block, const struct block *old,
			       const void *result, struct block *next, unsigned int mode)
{
	uint64_t old_extra = event_extra((uint64_t)block, old) - snapshot_due.admin;
	uint64_t room = old->size + old_extra;

	if (next->size < old->size) {
		snapshots_before_fall(mode & MODE_MANY);
		heap_note_peak(mode & MODE_MANY);
	}
	sites_free(thread, old->site, old->size, false);
	next->birth = sites_tick();
	if (next->size > room || room == next->size + snapshots_slop(next->size))
		return (int64_t)snapshots_slop(next->size) - (int64_t)old_extra;
	if (!slack_put((uint64_t)result, room))
		return (int64_t)snapshots_slop(next->size) - (int64_t)old_extra;
	next->birth |= SLACK_MARK;
	return (int64_t)(room - next->size) - (int64_t)old_extra;
}

/* A realloc that Massif's books do not see, because its block is ignored already or what calls
 * it is: its block is ignored from now on. As in Massif the place that such a block left keeps
 * its bytes in the books, and one that it came to gets them, for good. */
static bool replace_ignored(struct thread *thread, const void *block, const struct block *old,
			    struct block *next, unsigned int mode)
{
	bool was = sites_is_ignored(old->site), is = sites_is_ignored(next->site);

	if (!was && !is) {
		journal_event(MU_BOOKS_REALLOCS, false);
		return false;
	}
	journal_realloc(was);
	if (next->size < old->size)
		heap_note_peak(mode & MODE_MANY);
	if (!was) {
		sites_book(old->site, old->size);
		event_extra((uint64_t)block, old);
	} else if (!is) {
		sites_book(next->site, next->size);
		next->site = old->site;
	}
	sites_free(thread, old->site, old->size, false);
	next->birth = sites_tick();
	return true;
}

/* The site of a block that realloc changed; in DHAT's books it is still the old one's. */
static uint32_t realloc_site(struct thread *thread, const struct block *old, uint64_t sp,
			     unsigned int mode)
{
	if (!(mode & MODE_POINTS))
		return event_site(thread, MU_FN_REALLOC, sp, mode);
	return sites_find_from(walk_stack(thread, sp + 8, *(const uint64_t *)sp), MU_FN_REALLOC,
			       old->site);
}

/* Its point counts it anew, or, if it could not be remembered, loses it. */
static void realloc_point(struct thread *thread, const struct block *old,
			  const struct block *next, bool is_known, unsigned int mode)
{
	const struct mu_cell *cell = sites_cell(thread, is_known ? next->site : old->site);

	if (cell && is_known)
		points_resize(cell->point, old->size, next->size, mode & MODE_MANY);
	else if (cell)
		points_free(cell->point, old->size, mode & MODE_MANY);
}

static void realloc_moved(struct thread *thread, const void *block, const struct block *old,
			  const void *result, size_t size, uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;
	int64_t change = (int64_t)size - (int64_t)old->size;
	struct block next = { .size = size, .site = realloc_site(thread, old, sp, mode) };
	int64_t extra = 0;

	bool is_ignored = mode & MODE_BOOKS && replace_ignored(thread, block, old, &next, mode);
	if (mode & MODE_STACKS && !is_ignored)
		extra = replace_stacked(thread, block, old, result, &next, mode);
	event_freed_by(thread, old->size, sp, mode);
	bool is_known = event_put(thread, result, &next, change, sp,
				  mode & ~(unsigned int)MODE_POINTS);
	if (mode & MODE_POINTS)
		realloc_point(thread, old, &next, is_known, mode);
	if (mode & MODE_ACCESSES)
		accesses_copied(&thread->access, old->site, next.site,
				size < old->size ? size : old->size);
	if (is_ignored) {
		snapshots_ignored(thread, change, mode & MODE_MANY);
	} else if (mode & MODE_STACKS) {
		int64_t moved = change + extra;
		snapshots_changed(thread, extra, (uint64_t)(moved < 0 ? -moved : moved),
				  mode & MODE_MANY);
	}
}

/* realloc(block, 0) freed the block. */
static void realloc_freed(struct thread *thread, const void *block, const struct block *old,
			  uint64_t sp)
{
	unsigned int mode = gate.mode & REALLOC_MODES;

	thread->pub.counters.calls[MU_FN_REALLOC]++;
	thread->pub.counters.realloc_free++;
	thread->pub.counters.bytes[MU_FN_FREE] += old->size;
	event_gone(thread, block, old, sp, mode);
}

/* The old block has been taken out of the table; put in what became of it. */
static void realloc_done(struct thread *thread, const void *block, const struct block *old,
			 const void *result, size_t size, uint64_t sp)
{
	struct mu_counters *counters = &thread->pub.counters;
	uint64_t growth = size > old->size ? size - old->size : 0;

	if (unlikely(gate.mode & MODE_DEPTH))
		depths_note(thread, sp);
	if (!result && !size) {
		realloc_freed(thread, block, old, sp);
		return;
	}
	count_call(counters, MU_FN_REALLOC, growth, size);
	if (!result) {
		counters->failed[MU_FN_REALLOC]++;
		if (!blocks_put(thread, (uint64_t)block, old, gate.mode & MODE_MANY))
			block_dropped(old->size);
		else if (gate.mode & MODE_ACCESSES)
			accesses_born(&thread->access, (uint64_t)block, old->size, old->site);
		return;
	}
	counters->realloc_nomove += result == block;
	counters->realloc_dec += size < old->size;
	realloc_moved(thread, block, old, result, size, sp);
}

static void *realloc_known(void *block, size_t size, uint64_t sp)
{
	struct thread *thread = hook_enter();
	struct block old;
	bool known = false;

	if (likely(thread)) {
		known = blocks_take(thread, (uint64_t)block, &old, gate.mode & MODE_MANY);
		if (!known && !rec.was_paused)
			thread->pub.counters.foreign_frees++;
		else if (known && gate.mode & MODE_ACCESSES)
			accesses_died(&thread->access, (uint64_t)block);
		hook_leave(thread);
	}
	bool is_quiet = rec.flags & MU_CFG_COPIES;
	copies_quiet += is_quiet;
	void *result = real.realloc(block, size);
	copies_quiet -= is_quiet;
	if (likely(known)) {
		thread = hook_enter();
		if (likely(thread)) {
			realloc_done(thread, block, &old, result, size, sp);
			hook_leave(thread);
		}
	}
	return result;
}

INLINE void *realloc_any(void *block, size_t size, uint64_t sp)
{
	if (!block)
		return record(MU_FN_REALLOC, real.realloc(NULL, size), size, sp);
	if (unlikely(early_owns(block)))
		return realloc_early(block, size, sp);
	return realloc_known(block, size, sp);
}

EXPORT void *realloc(void *block, size_t size)
{
	return realloc_any(block, size, hook_sp());
}

/* glibc's calls realloc through its PLT, others do not: done here, so counted once. */
EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		record_overflow(MU_FN_REALLOC);
		errno = ENOMEM;
		return NULL;
	}
	return realloc_any(block, bytes, hook_sp());
}

EXPORT void *memalign(size_t align, size_t size)
{
	return record(MU_FN_MEMALIGN, real.memalign(align, size), size, hook_sp());
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	return record(MU_FN_MEMALIGN, real.aligned_alloc(align, size), size, hook_sp());
}

EXPORT int posix_memalign(void **result, size_t align, size_t size)
{
	int error = real.posix_memalign(result, align, size);

	record(MU_FN_MEMALIGN, error ? NULL : *result, size, hook_sp());
	return error;
}

EXPORT void *valloc(size_t size)
{
	return record(MU_FN_MEMALIGN, real.valloc(size), size, hook_sp());
}

EXPORT void *pvalloc(size_t size)
{
	return record(MU_FN_MEMALIGN, real.pvalloc(size), size, hook_sp());
}
