/* quick_heap.c -- dedicated ways for the calls of malloc and free.
 *
 * They record as the functions of interpose/ do, in the modes that are frequent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/attach/quick_heap.h"

#include <string.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/tables/sample_filter.h"

/* In x86_64/patch_entry.S. */
void patch_entry_malloc(void);
void patch_entry_free(void);
void patch_malloc_returned(void);

extern struct quick_heap quick_heap __attribute__((visibility("hidden")));
struct quick_heap quick_heap;

entry_arrival_fn *quick_heap_arrival(const char *name, uint64_t function)
{
	const bool is_malloc = strcmp(name, "malloc") == 0;
	struct object object;

	if ((!is_malloc && strcmp(name, "free") != 0) || !object_of(function, &object) ||
	    (quick_heap.start && quick_heap.start != object.start))
		return NULL;
	quick_heap.start = object.start;
	quick_heap.size = object.end - object.start;
	entry_returns_also((uint64_t)patch_malloc_returned);
	return is_malloc ? patch_entry_malloc : patch_entry_free;
}

void quick_heap_patched(void)
{
	uint32_t count;
	const struct entry_hook *hook = entry_hooks(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (hook[i].arrival == patch_entry_malloc)
			quick_heap.malloc = hook[i].original;
		else if (hook[i].arrival == patch_entry_free)
			quick_heap.free = hook[i].original;
	}
}

/* As for a block of the general way: it may be known by a free that was not seen. */
static __attribute__((noinline)) void record_any_mode(const void *block, uint64_t size,
						      uint64_t sp)
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
	event_alloc(thread, MU_FN_MALLOC, block, size, sp);
	hook_leave(thread);
}

static __attribute__((noinline)) bool allocated_with_sampling(const void *block, uint64_t size)
{
	return block && gate_samples() && sampling_pass(self, MU_FN_MALLOC, size);
}

/* An attached recorder always records as if there were several threads. */
void quick_heap_allocated(const void *block, uint64_t size, uint64_t sp)
{
	const unsigned int mode = gate.mode;

	if (mode == MODE_MANY && likely(alloc_quick(MU_FN_MALLOC, block, size, sp, MODE_MANY)))
		return;
	if (mode == (MODE_STACKS | MODE_MANY) &&
	    likely(alloc_quick(MU_FN_MALLOC, block, size, sp, MODE_STACKS | MODE_MANY)))
		return;
	if (mode & MODE_SAMPLE && allocated_with_sampling(block, size))
		return;
	record_any_mode(block, size, sp);
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

bool quick_heap_freed(const void *block, uint64_t sp)
{
	const unsigned int mode = gate.mode;

	if (mode == MODE_MANY)
		return free_quick(block, sp, MODE_MANY);
	if (mode == (MODE_STACKS | MODE_MANY))
		return free_quick(block, sp, MODE_STACKS | MODE_MANY);
	return mode & MODE_SAMPLE && freed_with_sampling(block);
}
