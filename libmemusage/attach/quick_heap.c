/* quick_heap.c -- dedicated ways for the calls of malloc and its family.
 *
 * They record as the functions of interpose/ do, in the modes that are frequent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/attach/quick_heap.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/event/earlier_blocks.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/tables/sample_filter.h"

/* The state of realloc's block, found by the first half of the call. */
enum { REALLOC_UNSEEN, REALLOC_KNOWN, REALLOC_EARLIER };

/* In x86_64/patch_entry.S. */
void patch_entry_malloc(void);
void patch_entry_free(void);
void patch_entry_calloc(void);
void patch_entry_realloc(void);
void patch_entry_memalign(void);
void patch_entry_aligned_alloc(void);
void patch_entry_posix_memalign(void);
void patch_malloc_returned(void);
void patch_other_returned(void);

static void begin_realloc(struct quick_call *call);
static void end_realloc(struct quick_call *call);
static void end_calloc(struct quick_call *call);
static void end_memalign(struct quick_call *call);
static void end_posix_memalign(struct quick_call *call);

extern HIDDEN struct quick_heap quick_heap;
struct quick_heap quick_heap = {
	.calloc = { .end = end_calloc },
	.realloc = { .begin = begin_realloc, .end = end_realloc },
	.memalign = { .end = end_memalign },
	.aligned_alloc = { .end = end_memalign },
	.posix_memalign = { .end = end_posix_memalign },
};
_Static_assert(offsetof(struct quick_heap, posix_memalign) == 128 &&
	       offsetof(struct quick_function, end) == 16 &&
	       offsetof(struct quick_call, function) == 64 &&
	       offsetof(struct quick_call, caller_bp) == 80, "x86_64/patch_entry.S");

static const struct quick_way {
	const char *name;
	entry_arrival_fn *arrival;
	uint64_t *original;
} ways[] = {
	{ "malloc", patch_entry_malloc, &quick_heap.malloc },
	{ "free", patch_entry_free, &quick_heap.free },
	{ "calloc", patch_entry_calloc, &quick_heap.calloc.original },
	{ "realloc", patch_entry_realloc, &quick_heap.realloc.original },
	{ "memalign", patch_entry_memalign, &quick_heap.memalign.original },
	{ "aligned_alloc", patch_entry_aligned_alloc, &quick_heap.aligned_alloc.original },
	{ "posix_memalign", patch_entry_posix_memalign, &quick_heap.posix_memalign.original },
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

entry_arrival_fn *quick_heap_arrival(const char *name, uint64_t function)
{
	const struct quick_way *way = ways;
	struct object object;

	while (way < ways + WAYS && strcmp(way->name, name) != 0)
		way++;
	if (way == ways + WAYS || !object_of(function, &object) ||
	    (quick_heap.start && quick_heap.start != object.start))
		return NULL;
	quick_heap.start = object.start;
	quick_heap.size = object.end - object.start;
	entry_returns_also((uint64_t)patch_malloc_returned, (uint64_t)patch_other_returned);
	return way->arrival;
}

void quick_heap_patched(void)
{
	uint32_t count;
	const struct entry_hook *hook = entry_hooks(&count);

	for (uint32_t i = 0; i < count; i++)
		for (const struct quick_way *way = ways; way < ways + WAYS; way++)
			if (hook[i].arrival == way->arrival)
				*way->original = hook[i].original;
}

/* As for a block of the general way: it may be known by a free that was not seen. */
static __attribute__((noinline)) void record_any_mode(enum mu_fn fn, const void *block,
						      uint64_t size, uint64_t sp)
{
	struct thread *thread = entry_enter();
	struct block former;

	if (!thread)
		return;
	if (block && event_knows(thread, block)) {
		if (gate.mode)
			event_free_slow(thread, block, &former, sp);
		else
			event_take(thread, block, &former, sp, 0);
	}
	event_alloc(thread, fn, block, size, sp);
	hook_leave(thread);
}

static __attribute__((noinline)) bool allocated_with_sampling(enum mu_fn fn, const void *block,
							      uint64_t size)
{
	return block && gate_samples() && sampling_pass(self, fn, size);
}

/* The modes for which the quick paths are made here. */
#define QUICK_MODES(MODE)               \
	MODE(MODE_MANY)                 \
	MODE(MODE_STACKS | MODE_MANY)   \
	MODE(MODE_STACKS)

#define RECORD_ALLOC(quick)                                                               \
	if (mode == (quick) && likely(alloc_quick(fn, block, size, sp, quick)))           \
		return;

static inline __attribute__((always_inline)) void record_alloc(enum mu_fn fn, const void *block,
							       uint64_t size, uint64_t sp)
{
	unsigned int mode;

	if (likely(alloc_quick(fn, block, size, sp, 0)))
		return;
	mode = gate.mode;
	QUICK_MODES(RECORD_ALLOC)
	if (mode & MODE_SAMPLE && allocated_with_sampling(fn, block, size))
		return;
	record_any_mode(fn, block, size, sp);
}

void quick_heap_allocated(const void *block, uint64_t size, uint64_t sp)
{
	record_alloc(MU_FN_MALLOC, block, size, sp);
}

static bool freed_with_sampling(const void *block)
{
	if (unlikely(!gate_follows_samples()) ||
	    unlikely(sample_filter_may_have((uint64_t)block)))
		return false;
	if (likely(gate_samples()))
		self->pub.counters.calls[MU_FN_FREE]++;
	return true;
}

#define RECORD_FREE(quick)                                                                \
	if (mode == (quick))                                                              \
		return ((quick) == MODE_STACKS && free_deferred(block, sp)) ||            \
		       free_quick(block, sp, quick);

bool quick_heap_freed(const void *block, uint64_t sp)
{
	unsigned int mode;

	if (likely(free_quick(block, sp, 0)))
		return true;
	mode = gate.mode;
	QUICK_MODES(RECORD_FREE)
	return mode & MODE_SAMPLE && freed_with_sampling(block);
}

/* ---- the others ---------------------------------------------------------------------------- */

/* Not a part of each of them, in all modes. */
static __attribute__((noinline)) void record_call(const struct quick_call *call, enum mu_fn fn,
						  const void *block, uint64_t size)
{
	record_alloc(fn, block, size, (uint64_t)&call->caller_bp);
}

/* A product that overflows is a failed call of no known size. */
static void end_calloc(struct quick_call *call)
{
	uint64_t size;

	if (__builtin_mul_overflow(call->argument[0], call->argument[1], &size))
		size = 0;
	record_call(call, MU_FN_CALLOC, (const void *)call->result, size);
}

static void end_memalign(struct quick_call *call)
{
	record_call(call, MU_FN_MEMALIGN, (const void *)call->result, call->argument[1]);
}

static void end_posix_memalign(struct quick_call *call)
{
	const void *block = (int)call->result ? NULL : *(void **)call->argument[0];

	record_call(call, MU_FN_MEMALIGN, block, call->argument[2]);
}

static void begin_realloc(struct quick_call *call)
{
	const void *block = (const void *)call->argument[0];
	struct thread *thread;

	call->state = REALLOC_KNOWN;
	if (block && realloc_take_quick(block, &call->old))
		return;
	thread = block ? entry_enter() : NULL;
	call->state = REALLOC_UNSEEN;
	if (!thread)
		return;
	call->state = realloc_take(thread, block, &call->old) ? REALLOC_KNOWN :
								   REALLOC_EARLIER;
	hook_leave(thread);
}

/* A block that is not known is from before: its size is not known either, so the result is a new
 * one. */
static void end_realloc(struct quick_call *call)
{
	const void *block = (const void *)call->argument[0], *result = (const void *)call->result;
	const uint64_t size = call->argument[1], sp = (uint64_t)&call->caller_bp;
	struct thread *thread;

	if (!block) {
		record_call(call, MU_FN_REALLOC, result, size);
		return;
	}
	if (call->state == REALLOC_KNOWN &&
	    realloc_put_quick(block, &call->old, result, size, sp))
		return;
	thread = call->state == REALLOC_UNSEEN ? NULL : entry_enter();
	if (!thread)
		return;
	if (call->state == REALLOC_KNOWN)
		realloc_done(thread, block, &call->old, result, size, sp);
	else if (result && size)
		event_alloc(thread, MU_FN_REALLOC, result, size, sp);
	else if (size)
		earlier_blocks_put_back(thread, block);
	hook_leave(thread);
}
