/* interpose_new.c -- every form of C++'s operator new and delete, by mangled name.
 *
 * libstdc++'s call malloc and free, which are recorded there. We jump to them, so that no frame of
 * ours is in a stack. tcmalloc's, jemalloc's and mimalloc's call neither. After their new, the
 * block is recorded unless it is known already; before their delete, the free is recorded, and an
 * inner free of that block is not counted again. An exception may pass through these frames, and
 * leaves nothing to undo.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/real.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/stale_links.h"
#include "libmemusage/image/asleep.h"
#include "libmemusage/interpose/returned_block.h"

typedef void (*any_function)(void);

/* All forms, with what they count as. A const std::nothrow_t& and a std::align_val_t are
 * passed as a pointer and a size_t. */
#define FORMS                                                                              \
	NEW(_Znwm, MU_FN_MALLOC, (size_t size), (size), 0)                                 \
	NEW(_Znam, MU_FN_MALLOC, (size_t size), (size), 0)                                 \
	NEW(_ZnwmRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag), 0) \
	NEW(_ZnamRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag), 0) \
	NEW(_ZnwmSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align), \
	    align)                                                                         \
	NEW(_ZnamSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align), \
	    align)                                                                         \
	NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,                            \
	    (size_t size, size_t align, const void *tag), (size, align, tag), align)       \
	NEW(_ZnamSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,                            \
	    (size_t size, size_t align, const void *tag), (size, align, tag), align)       \
	DELETE(_ZdlPv, (void *block), (block))                                             \
	DELETE(_ZdaPv, (void *block), (block))                                             \
	DELETE(_ZdlPvm, (void *block, size_t size), (block, size))                         \
	DELETE(_ZdaPvm, (void *block, size_t size), (block, size))                         \
	DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))         \
	DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))         \
	DELETE(_ZdlPvSt11align_val_t, (void *block, size_t align), (block, align))         \
	DELETE(_ZdaPvSt11align_val_t, (void *block, size_t align), (block, align))         \
	DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align),           \
	       (block, size, align))                                                       \
	DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align),           \
	       (block, size, align))                                                       \
	DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,                                        \
	       (void *block, size_t align, const void *tag), (block, align, tag))          \
	DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,                                        \
	       (void *block, size_t align, const void *tag), (block, align, tag))

/* The next operators in search order, NULL where the program was started without any. */
#define NEW(symbol, fn, params, args, align) void *(*symbol) params;
#define DELETE(symbol, params, args) void (*symbol) params;
static struct next_operators {
	FORMS
	/* The operators are those of a C++ run-time and call malloc and free, which record
	 * everything. An allocator with operators of its own serves them itself. */
	bool made_of_malloc;
} next;
#undef NEW
#undef DELETE

static bool is_run_time(const struct link_map *object)
{
	const char *name = strrchr(object->l_name, '/');

	name = name ? name + 1 : object->l_name;
	return !strncmp(name, "libstdc++.so", 12) || !strncmp(name, "libc++", 6);
}

static void redirect_operators(uint64_t from, uint64_t to)
{
#define NEW(symbol, fn, params, args, align) \
	if ((uint64_t)next.symbol == from)   \
		memcpy(&next.symbol, &to, sizeof(to));
#define DELETE(symbol, params, args)       \
	if ((uint64_t)next.symbol == from) \
		memcpy(&next.symbol, &to, sizeof(to));
	FORMS
#undef NEW
#undef DELETE
}

static void resolve_operators(void)
{
	real_find(&next._Znwm, "_Znwm");
	if (!next._Znwm)
		return;
	next.made_of_malloc = is_run_time(lookup_next_object("_Znwm"));
#define NEW(symbol, fn, params, args, align) real_find(&next.symbol, #symbol);
#define DELETE(symbol, params, args) real_find(&next.symbol, #symbol);
	FORMS
#undef NEW
#undef DELETE
}

REAL_PART = { .resolve = resolve_operators, .redirect = redirect_operators };

/* The operator of the first loaded object that has one: memory is short, and only a C++
 * run-time can call the new-handler and throw. */
static any_function find_loaded(const char *name)
{
	const struct link_map *ours = lookup_self();
	void *found = NULL;

	for (const struct link_map *object = _r_debug.r_map; !found && object;
	     object = object->l_next) {
		void *handle = object->l_name[0] ? real.dlopen(object->l_name,
							      RTLD_LAZY | RTLD_NOLOAD)
						 : NULL;
		if (!handle)
			continue;
		if (object != ours)
			found = lookup_in(object, name);
		real.dlclose(handle);
	}
	return (any_function)found;
}

static void record_new(enum mu_fn fn, void *block, size_t size, uint64_t sp)
{
	if (unlikely(rec.flags & (MU_CFG_LEAKS | MU_CFG_HOLDERS)) && !is_asleep())
		stale_links_clear_new(block, size);
	returned_block_record(fn, block, size, sp);
}

static bool record_delete(void *block, uint64_t sp)
{
	struct thread *thread = block && !is_asleep() ? hook_enter() : NULL;

	if (thread) {
		if (gate.mode & MODE_SAMPLE || event_knows(thread, block))
			event_free(thread, block, sp);
		hook_leave(thread);
		event_deleting(block);
	}
	return true;
}

/* Without a C++ run-time at the start new is malloc, which is what they make of it: one that
 * came with dlopen() may go with dlclose(), so its operators are never remembered. */
#define LATE(symbol, params, args, align)                                             \
	static __attribute__((noinline)) void *late##symbol params                    \
	{                                                                             \
		void *(*loaded) params;                                               \
		real_resolve();                                                       \
		void *block = align ? real.memalign(align, size) : real.malloc(size); \
		if (likely(block))                                                    \
			return block;                                                 \
		loaded = (__typeof__(loaded))find_loaded(#symbol);                    \
		return loaded ? loaded args : NULL;                                   \
	}

#define NEW(symbol, fn, params, args, align)                                             \
	LATE(symbol, params, args, align)                                                \
	EXPORT void *symbol params;                                                      \
	EXPORT void *symbol params                                                       \
	{                                                                                \
		if (likely(next.made_of_malloc) && likely(next.symbol))                       \
			return next.symbol args;                                         \
		void *block = likely(next.symbol) ? next.symbol args : late##symbol args; \
		record_new(fn, block, size, hook_sp());                                  \
		return block;                                                            \
	}

#define DELETE(symbol, params, args)                      \
	EXPORT void symbol params;                        \
	EXPORT void symbol params                         \
	{                                                 \
		if (likely(next.made_of_malloc) && likely(next.symbol)) { \
			next.symbol args;                 \
			return;                           \
		}                                         \
		record_delete(block, hook_sp());          \
		if (likely(next.symbol))                  \
			next.symbol args;                 \
		else if (block && !early_owns(block))     \
			real.free(block);                 \
	}

FORMS
