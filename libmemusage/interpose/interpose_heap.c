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
#include <string.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/quiet.h"
#include "libmemusage/base/real.h"
#include "libmemusage/emulated/emulated_event.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/interpose/heap.h"
#include "libmemusage/lifecycle/pause.h"
#include "libmemusage/pages/passthrough.h"
#include "libmemusage/tables/stack_sum.h"

/* Not from <stdlib.h>: an inline function there returns a double, which gcc 10 refuses without
 * vector registers. */
void *aligned_alloc(size_t align, size_t size);
int posix_memalign(void **result, size_t align, size_t size);

__thread uint32_t copies_quiet;

static __attribute__((noinline)) void *record_any_mode(enum mu_fn fn, void *block, size_t size,
						       uint64_t sp)
{
	if (unlikely(gate.mode & MODE_PAUSED) && pause_holds())
		return block;
	struct thread *thread = hook_enter();

	if (likely(thread)) {
		event_alloc(thread, fn, block, size, sp);
		hook_leave(thread);
	}
	return block;
}

/* The end of an event whose log entry takes more than a word. */
static __attribute__((noinline)) void *log_long_alloc(void *block, size_t size, uint64_t sp)
{
	struct thread *thread = self;

	log_append_last(thread, (int64_t)size, stack_note(thread, sp));
	return block;
}

/* alloc_quick() with the event log, and what follows. All calls are the last thing that is done, so
 * it keeps no registers. A part of malloc it would make that keep more, in all modes. */
static __attribute__((noinline)) void *alloc_with_log(enum mu_fn fn, void *block, size_t size,
						       uint64_t sp)
{
	const struct block record = { .size = size };
	struct thread *thread = self;

	if (unlikely(!block) || unlikely(size >= MU_HIST_LOW * MU_HIST_STEP) ||
	    !quick_enter(thread, MODE_LOG))
		return record_any_mode(fn, block, size, sp);
	if (unlikely(!blocks_put_quick(thread, (uint64_t)block, &record, false, true, true))) {
		hook_leave(thread);
		return record_any_mode(fn, block, size, sp);
	}
	count_call(&thread->pub.counters, fn, size, size);
	heap_change(thread, (int64_t)size, false);
	if (unlikely(!log_append_quick(thread, (int64_t)size, thread->pub.stack_base - sp)))
		return log_long_alloc(block, size, sp);
	hook_leave(thread);
	return block;
}

/* C23; declared by a libc that has them. */
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t align, size_t size);

/* Records a free. Returns whether the real function is to be called. */
INLINE bool record_block_free(void *block, uint64_t sp)
{
	if (unlikely(gate.mode & MODE_PAUSED) && pause_holds())
		return block && !early_owns(block);
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

static __attribute__((noinline)) void free_any_mode(void *block, uint64_t sp)
{
	if (record_block_free(block, sp))
		real.free(block);
}

/* The end of a free whose log entry takes more than a word. */
static __attribute__((noinline)) void log_long_free(void *block, uint64_t size, uint64_t sp)
{
	struct thread *thread = self;

	log_append_last(thread, -(int64_t)size, stack_note(thread, sp));
	real.free(block);
}

/* free_quick() with the event log; as alloc_with_log(). */
static __attribute__((noinline)) void free_with_log(void *block, uint64_t sp)
{
	struct thread *thread = self;
	struct block known;

	if (!quick_enter(thread, MODE_LOG)) {
		free_any_mode(block, sp);
		return;
	}
	if (unlikely(!blocks_take_quick(thread, (uint64_t)block, &known, false, true, true))) {
		hook_leave(thread);
		free_any_mode(block, sp);
		return;
	}
	thread->pub.counters.calls[MU_FN_FREE]++;
	thread->pub.counters.bytes[MU_FN_FREE] += known.size;
	heap_change(thread, -(int64_t)known.size, false);
	if (unlikely(!log_append_quick(thread, -(int64_t)known.size,
				       thread->pub.stack_base - sp))) {
		log_long_free(block, known.size, sp);
		return;
	}
	hook_leave(thread);
	real.free(block);
}

static __attribute__((noinline)) void free_with_pages(void *block, uint64_t sp)
{
	if (likely(!early_owns(block)))
		real.free(block);
	else
		free_any_mode(block, sp);
}

/* ---- modes ------------------------------------------------------------------------------- */

static __attribute__((noinline)) void *alloc_with_pages(enum mu_fn fn, void *block, size_t size,
							uint64_t sp)
{
	(void)fn, (void)size, (void)sp;
	return block;
}

static __attribute__((noinline)) void *alloc_with_sampling(enum mu_fn fn, void *block,
							   size_t size, uint64_t sp)
{
	if (likely(block) && gate_samples() && sampling_pass(self, fn, size))
		return block;
	return record_any_mode(fn, block, size, sp);
}

static __attribute__((noinline)) void free_with_sampling(void *block, uint64_t sp)
{
	if (free_passes_samples(block))
		real.free(block);
	else
		free_any_mode(block, sp);
}

/* The modes for which the quick paths are made, but for the plain one and the one with a log. */
#define QUICK_MODES(MODE)                                                                      \
	MODE(threads, MODE_MANY)                                                               \
	MODE(stacks, MODE_STACKS)                                                              \
	MODE(stacks_threads, MODE_STACKS | MODE_MANY)                                          \
	MODE(points, MODE_STACKS | MODE_POINTS)                                                \
	MODE(points_threads, MODE_STACKS | MODE_POINTS | MODE_MANY)                            \
	MODE(accesses, MODE_STACKS | MODE_ACCESSES)                                            \
	MODE(accesses_threads, MODE_STACKS | MODE_ACCESSES | MODE_MANY)                        \
	MODE(accesses_points, MODE_STACKS | MODE_ACCESSES | MODE_POINTS)                       \
	MODE(accesses_points_threads, MODE_STACKS | MODE_ACCESSES | MODE_POINTS | MODE_MANY)

/* All calls are the last thing that is done: no registers are kept. */
#define DEFINE_HANDLERS(name, mode)                                                            \
	static __attribute__((noinline)) void *alloc_with_##name(enum mu_fn fn, void *block,   \
								 size_t size, uint64_t sp)     \
	{                                                                                      \
		if (((mode) & MODE_ACCESSES && emulated_event(fn, block, size, sp)) ||         \
		    alloc_quick(fn, block, size, sp, mode))                                    \
			return block;                                                          \
		return record_any_mode(fn, block, size, sp);                                   \
	}                                                                                      \
	static __attribute__((noinline)) void free_with_##name(void *block, uint64_t sp)       \
	{                                                                                      \
		if (((mode) & MODE_ACCESSES && emulated_event(MU_FN_FREE, block, 0, sp)) ||    \
		    ((mode) == MODE_STACKS && free_deferred(block, sp)) ||                      \
		    free_quick(block, sp, mode))                                               \
			real.free(block);                                                      \
		else                                                                           \
			free_any_mode(block, sp);                                              \
	}
QUICK_MODES(DEFINE_HANDLERS)

struct mode_handlers {
	void *(*alloc)(enum mu_fn fn, void *block, size_t size, uint64_t sp);
	void (*free)(void *block, uint64_t sp);
};

#define HANDLERS_NUMBER(name, mode) HANDLERS_##name,
enum { HANDLERS_any_mode, HANDLERS_log, HANDLERS_pages, HANDLERS_sampling,
       QUICK_MODES(HANDLERS_NUMBER) };

#define HANDLERS_ROW(name, mode) [HANDLERS_##name] = { alloc_with_##name, free_with_##name },
static const struct mode_handlers mode_handlers[] = {
	[HANDLERS_any_mode] = { record_any_mode, free_any_mode },
	QUICK_MODES(HANDLERS_ROW)
	HANDLERS_ROW(log, MODE_LOG)
	HANDLERS_ROW(pages, MODE_PAGES)
	HANDLERS_ROW(sampling, MODE_SAMPLE)
};

/* By gate.mode, of which MODE_SAMPLE is the highest bit. Numbers in place of pointers save 28 KiB
 * in each process, and relocations. */
#define HANDLERS_OF_MODE(name, mode) [mode] = HANDLERS_##name,
static const uint8_t handlers_of_mode[2 * MODE_SAMPLE] = {
	QUICK_MODES(HANDLERS_OF_MODE)
	HANDLERS_OF_MODE(log, MODE_LOG)
	[MODE_PAGES ... 2 * MODE_PAGES - 1] = HANDLERS_pages,
	[MODE_SAMPLE ... 2 * MODE_SAMPLE - 1] = HANDLERS_sampling,
};

/* A change of the mode needs no step here. A handler that it makes the wrong one looks at the mode
 * itself, and leaves the event to the general code. */
INLINE const struct mode_handlers *handlers_now(void)
{
	return &mode_handlers[handlers_of_mode[gate.mode]];
}

/* ---- allocations ------------------------------------------------------------------------- */

INLINE void *record_alloc(enum mu_fn fn, void *block, size_t size, uint64_t sp)
{
	if (likely(alloc_quick(fn, block, size, sp, 0)))
		return block;
	return handlers_now()->alloc(fn, block, size, sp);
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
	return record_alloc(MU_FN_MALLOC, real.malloc(size), size, hook_sp());
}

INLINE void *calloc_and_record(size_t count, size_t size, uint64_t sp)
{
	size_t bytes;
	void *block = real.calloc(count, size);

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		record_overflow(MU_FN_CALLOC);
		return block;
	}
	return record_alloc(MU_FN_CALLOC, block, bytes, sp);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return calloc_and_record(count, size, hook_sp());
}

INLINE void free_and_record(void *block, uint64_t sp)
{
	if (likely(free_quick(block, sp, 0)))
		real.free(block);
	else
		handlers_now()->free(block, sp);
}

EXPORT void free(void *block)
{
	free_and_record(block, hook_sp());
}

/* C23. Without libc's function the plain free does, since the size is only a hint. libc's function
 * may call free, which thread->deleting makes known. */
EXPORT void free_sized(void *block, size_t size)
{
	if (!record_block_free(block, hook_sp()))
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
	if (!record_block_free(block, hook_sp()))
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
	return record_alloc(MU_FN_REALLOC, result, size, sp);
}

static void realloc_put_any(const void *block, const struct block *old, const void *result,
			    size_t size, uint64_t sp)
{
	struct thread *thread = hook_enter();

	if (likely(thread)) {
		realloc_done(thread, block, old, result, size, sp);
		hook_leave(thread);
	}
}

static bool realloc_take_any(const void *block, struct block *old)
{
	struct thread *thread = hook_enter();
	bool known = false;

	if (likely(thread)) {
		known = realloc_take(thread, block, old);
		hook_leave(thread);
	}
	return known;
}

/* With samples, of a block that is none. */
static void *realloc_unsampled(void *block, size_t size, uint64_t sp)
{
	const struct block none = { .site = SAMPLED_NONE };
	void *result = real.realloc(block, size);

	if (likely(result) && sampling_pass(self, MU_FN_REALLOC, size))
		self->pub.counters.realloc_nomove += result == block;
	else
		realloc_put_any(block, &none, result, size, sp);
	return result;
}

/* The block is from before recording began, or from a pause. Its size is unknown, so the result is
 * a new block. */
static __attribute__((noinline)) void *record_earlier_realloc(void *result, size_t size,
							      uint64_t sp)
{
	return record_any_mode(MU_FN_REALLOC, result, size, sp);
}

static void *realloc_known(void *block, size_t size, uint64_t sp)
{
	struct block old;
	bool known = realloc_take_quick(block, &old) || realloc_take_any(block, &old);
	bool is_quiet = rec.flags & MU_CFG_COPIES;

	copies_quiet += is_quiet;
	void *result = real.realloc(block, size);
	copies_quiet -= is_quiet;
	if (unlikely(!known))
		return rec.was_paused && size ? record_earlier_realloc(result, size, sp) : result;
	if (unlikely(!realloc_put_quick(block, &old, result, size, sp)))
		realloc_put_any(block, &old, result, size, sp);
	return result;
}

INLINE void *realloc_any(void *block, size_t size, uint64_t sp)
{
	if (!block)
		return record_alloc(MU_FN_REALLOC, real.realloc(NULL, size), size, sp);
	if (unlikely(early_owns(block)))
		return realloc_early(block, size, sp);
	if (unlikely(gate.mode & (MODE_PAGES | MODE_PAUSED)) &&
	    (gate.mode & MODE_PAGES || pause_holds()))
		return real.realloc(block, size);
	if (gate_samples() && !sample_filter_may_have((uint64_t)block))
		return realloc_unsampled(block, size, sp);
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
	return record_alloc(MU_FN_MEMALIGN, real.memalign(align, size), size, hook_sp());
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	return record_alloc(MU_FN_MEMALIGN, real.aligned_alloc(align, size), size, hook_sp());
}

EXPORT int posix_memalign(void **result, size_t align, size_t size)
{
	int error = real.posix_memalign(result, align, size);

	record_alloc(MU_FN_MEMALIGN, error ? NULL : *result, size, hook_sp());
	return error;
}

EXPORT void *valloc(size_t size)
{
	return record_alloc(MU_FN_MEMALIGN, real.valloc(size), size, hook_sp());
}

EXPORT void *pvalloc(size_t size)
{
	return record_alloc(MU_FN_MEMALIGN, real.pvalloc(size), size, hook_sp());
}

/* ---- without their first bytes ----------------------------------------------------------- */

__attribute__((noinline)) void *rest_of_malloc(size_t size)
{
	return record_alloc(MU_FN_MALLOC, real.malloc(size), size, hook_sp());
}

__attribute__((noinline)) void *rest_of_calloc(size_t count, size_t size)
{
	return calloc_and_record(count, size, hook_sp());
}

__attribute__((noinline)) void *rest_of_realloc(void *block, size_t size)
{
	return realloc_any(block, size, hook_sp());
}

__attribute__((noinline)) void rest_of_free(void *block)
{
	free_and_record(block, hook_sp());
}

#define ENTRY(name, takes_block)                                                 \
	__asm__(".globl entry_of_" #name "\n\t.hidden entry_of_" #name "\n\t" \
		".set entry_of_" #name ", " #name);
PASSTHROUGH_FUNCTIONS(ENTRY)
