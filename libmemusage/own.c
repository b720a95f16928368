/* own.c -- intercepting an allocator that the program brings with it.
 *
 * Its functions are entered by the calls of everybody, libc included, so all of them are events
 * of the program. Of calls within calls (realloc that calls malloc) the outermost counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/own.h"

#include <link.h>
#include <stddef.h>

#include "libmemusage/cfi.h"
#include "libmemusage/entry.h"
#include "libmemusage/event.h"
#include "libmemusage/lookup.h"

enum { NOTE_SIZE = 0, NOTE_BLOCK = 1, NOTE_KNOWN = 2 };

/* What a function's arguments are; numbers from 1, 0: none. */
struct shape {
	const char *name;
	uint8_t fn; /* enum mu_fn */
	uint8_t size, count;
	uint8_t block;	/* freed or reallocated */
	uint8_t result; /* the block comes back where this points to, not as the result */
};

static const struct shape *shape_of(const struct entry_call *call)
{
	return call->entry->data;
}

static uint64_t size_of(const struct entry_call *call, const struct shape *shape)
{
	uint64_t size = entry_argument(call, shape->size);

	if (shape->count && __builtin_mul_overflow(size, entry_argument(call, shape->count), &size))
		return 0; /* it fails */
	return size;
}

static bool before_alloc(struct entry_call *call)
{
	const struct shape *shape = shape_of(call);

	if (!entry_is_outer(call))
		return false;
	call->note[NOTE_SIZE] = size_of(call, shape);
	call->note[NOTE_BLOCK] = entry_argument(call, shape->result);
	return true;
}

static void record_alloc(struct entry_call *call, enum mu_fn fn, const void *block)
{
	struct thread *thread = entry_enter();

	if (thread) {
		event_alloc(thread, fn, block, call->note[NOTE_SIZE], entry_call_sp(call));
		hook_leave(thread);
	}
}

static void after_alloc(struct entry_call *call)
{
	const struct shape *shape = shape_of(call);
	const void *block = (const void *)call->rax;

	entry_ends(call);
	if (shape->result)
		block = (int)call->rax ? NULL : *(void **)call->note[NOTE_BLOCK];
	record_alloc(call, (enum mu_fn)shape->fn, block);
}

static bool before_free(struct entry_call *call)
{
	void *block = (void *)entry_argument(call, shape_of(call)->block);
	bool is_outer = entry_is_outer(call);
	struct thread *thread;

	if (!is_outer)
		return false;
	entry_ends(call);
	thread = entry_enter();
	if (!thread)
		return false;
	if (!block)
		thread->pub.counters.calls[MU_FN_FREE]++;
	else if (event_free(thread, block, entry_call_sp(call)))
		event_deleting(block);
	hook_leave(thread);
	return false;
}

static bool before_realloc(struct entry_call *call)
{
	const struct shape *shape = shape_of(call);
	uint64_t block = entry_argument(call, shape->block);
	struct thread *thread;

	if (!entry_is_outer(call))
		return false;
	call->note[NOTE_SIZE] = size_of(call, shape);
	call->note[NOTE_BLOCK] = block;
	call->note[NOTE_KNOWN] = 0;
	thread = block ? entry_enter() : NULL;
	if (thread) {
		call->note[NOTE_KNOWN] = realloc_take(thread, (const void *)block, &call->block);
		hook_leave(thread);
	}
	return true;
}

static void after_realloc(struct entry_call *call)
{
	const void *block = (const void *)call->note[NOTE_BLOCK];
	struct thread *thread;

	entry_ends(call);
	if (!block) {
		record_alloc(call, MU_FN_REALLOC, (const void *)call->rax);
		return;
	}
	thread = call->note[NOTE_KNOWN] ? entry_enter() : NULL;
	if (!thread)
		return;
	realloc_done(thread, block, &call->block, (const void *)call->rax,
		     call->note[NOTE_SIZE], entry_call_sp(call));
	hook_leave(thread);
}

static const struct shape family[] = {
	{ "free", MU_FN_FREE, 0, 0, 1, 0 },
	{ "malloc", MU_FN_MALLOC, 1, 0, 0, 0 },
	{ "calloc", MU_FN_CALLOC, 1, 2, 0, 0 },
	{ "realloc", MU_FN_REALLOC, 2, 0, 1, 0 },
	{ "reallocarray", MU_FN_REALLOC, 2, 3, 1, 0 },
	{ "memalign", MU_FN_MEMALIGN, 2, 0, 0, 0 },
	{ "aligned_alloc", MU_FN_MEMALIGN, 2, 0, 0, 0 },
	{ "posix_memalign", MU_FN_MEMALIGN, 3, 0, 0, 1 },
	{ "valloc", MU_FN_MEMALIGN, 1, 0, 0, 0 },
	{ "pvalloc", MU_FN_MEMALIGN, 1, 0, 0, 0 },
	{ "cfree", MU_FN_FREE, 0, 0, 1, 0 },
};

static bool patch_one(const struct patch *p, const struct link_map *object,
		      const struct shape *shape)
{
	struct entry entry = { .before = before_alloc, .after = after_alloc, .data = shape };

	if (!lookup_sized(object, shape->name, &entry.function, &entry.size))
		return false;
	if (shape->fn == MU_FN_FREE) {
		entry.before = before_free;
		entry.after = NULL;
	} else if (shape->block) {
		entry.before = before_realloc;
		entry.after = after_realloc;
	}
	return entry_is_patched(entry.function) || !entry_patch(p, &entry, false, false);
}

/* free first: without it nothing else would be right. */
bool own_patch(const struct link_map *object)
{
	struct patch p;

	cfi_init();
	if (!patch_begin(&p))
		return false;
	bool ok = patch_one(&p, object, &family[0]) && patch_one(&p, object, &family[1]);
	for (size_t i = 2; ok && i < sizeof(family) / sizeof(*family); i++)
		patch_one(&p, object, &family[i]);
	patch_end(&p);
	return ok;
}
