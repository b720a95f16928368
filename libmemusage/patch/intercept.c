/* intercept.c -- recording the calls of intercepted functions.
 *
 * The outermost of nested calls counts, as where realloc calls malloc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/intercept.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/real.h"
#include "libmemusage/event/earlier_blocks.h"
#include "libmemusage/event/event.h"
#include "libmemusage/patch/real_mark.h"
#include "libmemusage/patch/symbols.h"
#include "libmemusage/requests/client_block.h"
#include "libmemusage/tables/block_search.h"

#define PAGES 4096u /* of unnested_page */
#define HITS_MAX 255u
#define IGNORED 16u

enum { NOTE_SIZE = 0, NOTE_BLOCK = 1, NOTE_STATE = 2 };

/* The state of a block that is being reallocated. */
enum {
	BLOCK_UNKNOWN = 0,
	BLOCK_TAKEN = 1,
	BLOCK_NESTED = 2,
	BLOCK_LEFT = 3,
	BLOCK_EARLIER = 4 /* from before recording began, or from a pause: the result is new */
};

static struct {
	struct intercept entry[ENTRIES];
	uint32_t count;
	bool forwards_calls; /* some function of the program's malloc calls the interposed one */
	/* See is_nested_cached(): number of the page << 8, and how often it was believed. */
	uint64_t unnested_page[PAGES];
	uint64_t ignored[IGNORED]; /* see intercept_ignore_caller() */
	uint32_t ignored_count;
} intercepts;

static const struct intercept *intercept_of(const struct entry_call *call)
{
	return call->entry->data;
}

static struct call_site call_site_of(const struct entry_call *call)
{
	return (struct call_site){ .slot = (uint64_t)&call->return_address,
				   .bp = call->caller_bp,
				   .sp = entry_call_sp(call),
				   .is_named = intercept_of(call)->signature.flags &
					       MU_SIGNATURE_NAMED };
}

static uint64_t size_of_call(const struct entry_call *call, const struct mu_signature *signature)
{
	uint64_t size = signature->size == MU_SIGNATURE_STRING
				? 0
				: entry_argument(call, signature->size);

	if (signature->count &&
	    __builtin_mul_overflow(size, entry_argument(call, signature->count), &size))
		return 0; /* it fails */
	return size;
}

static const void *result_of_call(const struct entry_call *call,
				  const struct mu_signature *signature)
{
	if (!signature->result)
		return (const void *)call->rax;
	if (!call->note[NOTE_BLOCK] || (signature->flags & MU_SIGNATURE_STATUS && (int)call->rax))
		return NULL;
	return *(void **)call->note[NOTE_BLOCK];
}

static uint64_t size_of_block(const struct entry_call *call, const void *block)
{
	return block && intercept_of(call)->signature.size == MU_SIGNATURE_STRING ?
		       strlen(block) + 1 : call->note[NOTE_SIZE];
}

/* Allocations of the thread so far, those inside intercepted functions left out. */
static uint64_t count_allocations(void)
{
	const uint64_t *calls = self->pub.counters.calls;

	return has_self() ? calls[MU_FN_MALLOC] + calls[MU_FN_CALLOC] + calls[MU_FN_REALLOC] +
				    calls[MU_FN_MEMALIGN]
			  : 0;
}

/* A block is there already that begins at the address of a new one: its memory was given back in
 * some way that is not a free, with the library it was in or a heap of the allocator's. */
static void forget_former_block(struct thread *thread, const void *block, uint64_t sp)
{
	struct block former;

	if (!block || !event_knows(thread, block))
		return;
	if (gate.mode)
		event_free_slow(thread, block, &former, sp);
	else
		event_take(thread, block, &former, sp, 0);
}

/* ---- the program's own malloc -------------------------------------------------------------- */

/* Returns whether the interposed malloc has counted the block, or the block around it. */
static bool is_counted_block(struct thread *thread, const void *block)
{
	struct block outer;
	uint64_t start;

	return event_knows(thread, block) ||
	       block_search_find(0, (uint64_t)block, BLOCK_SEARCH_REACH, &start, &outer,
				 gate.mode & MODE_MANY);
}

/* Returns whether the call led to the interposed malloc, which has counted the block. With samples
 * the table does not know most blocks. */
static bool was_forwarded(struct thread *thread, const struct entry_call *call, const void *block)
{
	if (!block || count_allocations() == call->note[NOTE_STATE] ||
	    (!(gate.mode & MODE_SAMPLE) && !is_counted_block(thread, block)))
		return false;
	intercepts.forwards_calls = true;
	return true;
}

static void record_builtin_alloc(struct thread *thread, const struct entry_call *call,
				 const void *block)
{
	if (was_forwarded(thread, call, block))
		return;
	forget_former_block(thread, block, entry_call_sp(call));
	event_alloc(thread, (enum mu_fn)intercept_of(call)->signature.fn, block,
		    size_of_block(call, block), entry_call_sp(call));
}

static void record_builtin_free(struct thread *thread, const struct entry_call *call,
				const void *block)
{
	if (intercepts.forwards_calls && !event_knows(thread, block))
		return;
	if (event_free(thread, block, entry_call_sp(call)))
		event_deleting(block);
}

static void begin_builtin_realloc(struct thread *thread, struct entry_call *call, const void *block)
{
	if (intercepts.forwards_calls)
		call->note[NOTE_STATE] = !(gate.mode & MODE_SAMPLE) && event_knows(thread, block) ?
						 BLOCK_LEFT : BLOCK_UNKNOWN;
	else if (realloc_take(thread, block, &call->block))
		call->note[NOTE_STATE] = BLOCK_TAKEN;
	else if (rec.was_paused)
		call->note[NOTE_STATE] = BLOCK_EARLIER;
}

/* Does for a wrapper what the interposed realloc did not do. */
static void end_builtin_realloc(struct thread *thread, struct entry_call *call, const void *block,
				const void *result)
{
	uint64_t state = call->note[NOTE_STATE];

	if (state == BLOCK_LEFT && result && !is_counted_block(thread, result)) {
		if (realloc_take(thread, block, &call->block))
			state = BLOCK_TAKEN;
	} else if (state == BLOCK_LEFT && result && block != result &&
		   event_knows(thread, block)) {
		event_free(thread, block, entry_call_sp(call));
	}
	if (state == BLOCK_TAKEN)
		realloc_done(thread, block, &call->block, result, call->note[NOTE_SIZE],
			     entry_call_sp(call));
	else if (state == BLOCK_EARLIER && result && call->note[NOTE_SIZE])
		event_alloc(thread, MU_FN_REALLOC, result, call->note[NOTE_SIZE],
			    entry_call_sp(call));
	else if (state == BLOCK_EARLIER && call->note[NOTE_SIZE])
		earlier_blocks_put_back(thread, block);
}

/* ---- other allocators ---------------------------------------------------------------------- */

/* Pages in which no block of an allocator family was nested at the last search. A search for a
 * block around an address passes every page whose blocks are all freed, and a page seldom moves
 * between malloc and another allocator. If one does, as many blocks may have been counted twice as
 * used the cached answer; they are counted as drops. */
static bool is_nested_cached(struct thread *thread, uint64_t address)
{
	uint64_t page = address / MU_PAGE;
	uint64_t *entry = &intercepts.unnested_page[page % PAGES];
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);

	if (seen >> 8 == page && (seen & HITS_MAX) != HITS_MAX) {
		__atomic_store_n(entry, seen + 1, __ATOMIC_RELAXED);
		return false;
	}
	bool nested = client_block_is_nested(thread, address);
	if (nested && seen >> 8 == page)
		__atomic_fetch_add(&rec.image->drops.twice, HITS_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(entry, nested ? 0 : page << 8, __ATOMIC_RELAXED);
	return nested;
}

static void record_symbol_alloc(struct thread *thread, const struct entry_call *call,
				const void *block)
{
	const struct mu_signature *signature = &intercept_of(call)->signature;
	struct call_site place = call_site_of(call);
	uint64_t size = size_of_block(call, block);

	/* The block was known before this call began: it is one of the family's own. */
	if (!(signature->flags & MU_SIGNATURE_NAMED) &&
	    !(signature->block && call->note[NOTE_BLOCK]) &&
	    count_allocations() == call->note[NOTE_STATE])
		forget_former_block(thread, block, entry_call_sp(call));
	if (block &&
	    (signature->flags & MU_SIGNATURE_NAMED || is_nested_cached(thread, (uint64_t)block))) {
		client_block_alloc(thread, &place, (uint64_t)block, size);
		return;
	}
	event_alloc(thread, (enum mu_fn)signature->fn, block, size, entry_call_sp(call));
}

static void record_symbol_free(struct thread *thread, const struct entry_call *call,
			       const void *block)
{
	struct call_site place = call_site_of(call);
	uint64_t foreign = thread->pub.counters.unknown_frees;
	struct block known;

	if (client_block_take(thread, &place, (uint64_t)block, &known))
		return;
	if (event_free(thread, block, entry_call_sp(call)))
		event_deleting(block);
	else if (client_block_may_be_unrecorded(thread, (uint64_t)block))
		thread->pub.counters.unknown_frees = foreign;
}

static void begin_symbol_realloc(struct thread *thread, struct entry_call *call, const void *block)
{
	struct call_site place = call_site_of(call);
	uint64_t foreign = thread->pub.counters.unknown_frees;

	if (client_block_take(thread, &place, (uint64_t)block, &call->block)) {
		call->note[NOTE_STATE] = BLOCK_NESTED;
	} else if (realloc_take(thread, block, &call->block)) {
		call->note[NOTE_STATE] = BLOCK_TAKEN;
	} else if (client_block_may_be_unrecorded(thread, (uint64_t)block)) {
		call->note[NOTE_STATE] = BLOCK_NESTED;
		call->block.size = 0;
		thread->pub.counters.unknown_frees = foreign;
	}
}

static void end_symbol_realloc(struct thread *thread, struct entry_call *call, const void *block,
			       const void *result)
{
	struct call_site place = call_site_of(call);
	uint64_t size = call->note[NOTE_SIZE];

	if (call->note[NOTE_STATE] == BLOCK_TAKEN) {
		bool is_other = result && is_nested_cached(thread, (uint64_t)result);
		realloc_done(thread, block, &call->block, is_other ? NULL : result,
			     is_other ? 0 : size, entry_call_sp(call));
		if (is_other)
			client_block_alloc(thread, &place, (uint64_t)result, size);
	} else if (result) {
		record_symbol_alloc(thread, call, result);
	} else if (size && call->note[NOTE_STATE] == BLOCK_NESTED) {
		client_block_alloc(thread, &place, (uint64_t)block, call->block.size);
	}
}

/* ---- hooks --------------------------------------------------------------------------------- */

static bool begin_call(const struct entry_call *call)
{
	const struct intercept *what = intercept_of(call);

	if (what->number)
		symbols_called(what->number);
	if (what->layer == ENTRY_SYMBOL && real_is_inside())
		return false;
	return entry_is_outer(call, (enum entry_layer)what->layer);
}

static bool before_alloc_call(struct entry_call *call)
{
	const struct mu_signature *signature = &intercept_of(call)->signature;

	if (!begin_call(call))
		return false;
	call->note[NOTE_SIZE] = size_of_call(call, signature);
	call->note[NOTE_BLOCK] = entry_argument(call, signature->result);
	call->note[NOTE_STATE] = count_allocations();
	return true;
}

static void record_alloc_call(struct entry_call *call, const void *block)
{
	struct thread *thread = entry_enter();

	if (!thread)
		return;
	if (intercept_of(call)->layer == ENTRY_BUILTIN)
		record_builtin_alloc(thread, call, block);
	else
		record_symbol_alloc(thread, call, block);
	hook_leave(thread);
}

static void after_alloc_call(struct entry_call *call)
{
	entry_ends(call, (enum entry_layer)intercept_of(call)->layer);
	record_alloc_call(call, result_of_call(call, &intercept_of(call)->signature));
}

void intercept_ignore_caller(uint64_t returns_to)
{
	if (intercepts.ignored_count < IGNORED)
		intercepts.ignored[intercepts.ignored_count++] = returns_to;
}

static bool is_ignored(const struct entry_call *call)
{
	for (uint32_t i = 0; i < intercepts.ignored_count; i++)
		if (intercepts.ignored[i] == call->return_address)
			return true;
	return false;
}

static bool before_free_call(struct entry_call *call)
{
	const struct intercept *what = intercept_of(call);
	const void *block = (const void *)entry_argument(call, what->signature.block);
	struct thread *thread;

	if (!begin_call(call))
		return false;
	entry_ends(call, (enum entry_layer)what->layer);
	if (is_ignored(call))
		return false;
	thread = entry_enter();
	if (!thread)
		return false;
	if (!block)
		thread->pub.counters.calls[MU_FN_FREE]++;
	else if (what->layer == ENTRY_BUILTIN)
		record_builtin_free(thread, call, block);
	else
		record_symbol_free(thread, call, block);
	hook_leave(thread);
	return false;
}

static bool before_realloc_call(struct entry_call *call)
{
	const struct intercept *what = intercept_of(call);
	const void *block = (const void *)entry_argument(call, what->signature.block);
	struct thread *thread;

	if (!begin_call(call))
		return false;
	call->note[NOTE_SIZE] = size_of_call(call, &what->signature);
	call->note[NOTE_BLOCK] = (uint64_t)block;
	call->note[NOTE_STATE] = block ? BLOCK_UNKNOWN : count_allocations();
	thread = block ? entry_enter() : NULL;
	if (!thread)
		return true;
	if (what->layer == ENTRY_BUILTIN)
		begin_builtin_realloc(thread, call, block);
	else
		begin_symbol_realloc(thread, call, block);
	hook_leave(thread);
	return true;
}

static void after_realloc_call(struct entry_call *call)
{
	const void *block = (const void *)call->note[NOTE_BLOCK];
	struct thread *thread;

	entry_ends(call, (enum entry_layer)intercept_of(call)->layer);
	if (!block) {
		record_alloc_call(call, (const void *)call->rax);
		return;
	}
	thread = call->note[NOTE_STATE] == BLOCK_UNKNOWN ? NULL : entry_enter();
	if (!thread)
		return;
	if (intercept_of(call)->layer == ENTRY_BUILTIN)
		end_builtin_realloc(thread, call, block, (const void *)call->rax);
	else
		end_symbol_realloc(thread, call, block, (const void *)call->rax);
	hook_leave(thread);
}

/* The same again for an object that came back. */
static const struct intercept *keep_intercept(const struct intercept *what)
{
	uint32_t i = 0;

	while (i < intercepts.count && memcmp(&intercepts.entry[i], what, sizeof(*what)) != 0)
		i++;
	if (i == ENTRIES)
		return NULL;
	intercepts.entry[i] = *what;
	intercepts.count += i == intercepts.count;
	return &intercepts.entry[i];
}

const char *intercept_function(const struct patch *p, const struct intercept *what,
			       uint64_t address, uint64_t size, unsigned int flags)
{
	struct entry_hook entry = { .before = before_alloc_call,
				    .after = after_alloc_call,
				    .arrival = what->arrival,
				    .data = flags & ENTRY_TRY ? what : keep_intercept(what),
				    .function = address,
				    .size = size };

	if (!entry.data)
		return "there are too many";
	if (what->signature.fn == MU_FN_FREE) {
		entry.before = before_free_call;
		entry.after = NULL;
	} else if (what->signature.block) {
		entry.before = before_realloc_call;
		entry.after = after_realloc_call;
	}
	/* The arguments of known functions are known to be in registers. */
	return entry_patch(p, &entry,
			   flags | (what->signature.flags & MU_SIGNATURE_NAMED ? ENTRY_STRICT : 0));
}
