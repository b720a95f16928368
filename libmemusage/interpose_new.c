/* interpose_new.c -- every form of C++'s operator new and delete, by mangled name.
 *
 * libstdc++'s call malloc and free, which are recorded there; tcmalloc's, jemalloc's and
 * mimalloc's do not. So: after new, the block is recorded unless it is known already;
 * before delete it is recorded, and the inner free of that block is not counted again.
 * An exception passes through these frames; nothing here needs to be undone by it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#include "libmemusage/event.h"
#include "libmemusage/export.h"
#include "libmemusage/real.h"

typedef void (*any_function)(void);

/* The next operator in search order. A C++ runtime that came with dlopen(RTLD_LOCAL) is not
 * in that order: then the first loaded object that defines the name. */
static any_function find_operator(const char *name)
{
	void *found = real_find(name);

	for (const struct link_map *object = _r_debug.r_map; !found && object;
	     object = object->l_next) {
		void *handle = object->l_name[0] ? real.dlopen(object->l_name,
							      RTLD_LAZY | RTLD_NOLOAD)
						 : NULL;
		if (!handle)
			continue;
		found = dlsym(handle, name);
		if (found == dlsym(RTLD_DEFAULT, name))
			found = NULL;
		dlclose(handle);
	}
	return (any_function)found;
}

static void record_new(enum mu_fn fn, const void *block, size_t size, uint64_t sp)
{
	struct thread *thread = block ? hook_enter() : NULL;

	if (!thread)
		return;
	if (!event_knows(thread, block))
		event_alloc(thread, fn, block, size, sp);
	hook_leave(thread);
}

static bool record_delete(void *block, uint64_t sp)
{
	struct thread *thread = block ? hook_enter() : NULL;

	if (thread) {
		if (event_knows(thread, block))
			event_free(thread, block, sp);
		hook_leave(thread);
		event_deleting(block);
	}
	return true;
}

/* NAME is resolved at its first use: a libstdc++ that is opened later is found then. */
#define RESOLVE(type, name)                                                     \
	static __typeof__(type) next;                                           \
	if (unlikely(!__atomic_load_n(&next, __ATOMIC_RELAXED)))                \
		__atomic_store_n(&next, (__typeof__(type))find_operator(name), __ATOMIC_RELAXED)

#define NEW(symbol, fn, params, args)                                           \
	EXPORT void *symbol params;                                             \
	EXPORT void *symbol params                                              \
	{                                                                       \
		RESOLVE(void *(*)params, #symbol);                              \
		void *block = next ? next args : own_malloc(size);              \
		record_new(fn, block, size, hook_sp());                         \
		return block;                                                   \
	}

#define DELETE(symbol, params, args)                                            \
	EXPORT void symbol params;                                              \
	EXPORT void symbol params                                               \
	{                                                                       \
		RESOLVE(void (*)params, #symbol);                               \
		record_delete(block, hook_sp());                                \
		if (likely(next))                                               \
			next args;                                              \
		else if (block && !early_owns(block))                           \
			real.free(block);                                       \
	}

/* operator new(size_t), new[], their nothrow, aligned and aligned nothrow forms. A const
 * std::nothrow_t& and a std::align_val_t are passed as a pointer and a size_t. */
NEW(_Znwm, MU_FN_MALLOC, (size_t size), (size))
NEW(_Znam, MU_FN_MALLOC, (size_t size), (size))
NEW(_ZnwmRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag))
NEW(_ZnamRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag))
NEW(_ZnwmSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align))
NEW(_ZnamSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,
    (size_t size, size_t align, const void *tag), (size, align, tag))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,
    (size_t size, size_t align, const void *tag), (size, align, tag))

DELETE(_ZdlPv, (void *block), (block))
DELETE(_ZdaPv, (void *block), (block))
DELETE(_ZdlPvm, (void *block, size_t size), (block, size))
DELETE(_ZdaPvm, (void *block, size_t size), (block, size))
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t align), (block, align))
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t align), (block, align))
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t align), (block, size, align))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *tag),
       (block, align, tag))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *tag),
       (block, align, tag))
