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

/* The last object that was loaded when the program began; NULL before our constructor. */
static const struct link_map *last_at_start;

__attribute__((constructor)) static void note_last_object(void)
{
	const struct link_map *object = _r_debug.r_map;

	while (object && object->l_next)
		object = object->l_next;
	last_at_start = object;
}

/* Whether a function lies in an object that can never be closed. */
static bool is_permanent(void *function)
{
	const struct link_map *object = _r_debug.r_map;
	void *owner = NULL;
	Dl_info info;

	if (!dladdr1(function, &info, &owner, RTLD_DL_LINKMAP) || !last_at_start)
		return true;
	while (object && object != owner && object != last_at_start)
		object = object->l_next;
	return object == owner;
}

/* The next operator in search order. One that came with dlopen() may go with dlclose(): it
 * must not be remembered. Then new is malloc, which is what C++ run-times make of it. */
static any_function find_next(const char *name)
{
	void *found = real_find(name);

	return found && is_permanent(found) ? (any_function)found : NULL;
}

/* The operator of the first loaded object that has one: memory is short, and only a C++
 * run-time can call the new-handler and throw. */
static any_function find_loaded(const char *name)
{
	const void *ours = dlsym(RTLD_DEFAULT, name);
	void *found = NULL;

	for (const struct link_map *object = _r_debug.r_map; !found && object;
	     object = object->l_next) {
		void *handle = object->l_name[0] ? real.dlopen(object->l_name,
							      RTLD_LAZY | RTLD_NOLOAD)
						 : NULL;
		if (!handle)
			continue;
		found = dlsym(handle, name);
		if (found == ours)
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

/* Resolved at the first use, for good. */
#define RESOLVE(type, name)                                                     \
	static __typeof__(type) next;                                           \
	static bool resolved;                                                   \
	if (unlikely(!__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))) {          \
		next = (__typeof__(type))find_next(name);                       \
		__atomic_store_n(&resolved, true, __ATOMIC_RELEASE);            \
	}

/* The block of a program whose C++ run-time came later; what NAME does if there is none. */
#define NEW_LATE(symbol, params, args, align)                                   \
	static __attribute__((noinline)) void *late##symbol params              \
	{                                                                       \
		void *block = align ? real.memalign(align, size) : real.malloc(size); \
		void *(*loaded) params;                                         \
		if (likely(block))                                              \
			return block;                                           \
		loaded = (__typeof__(loaded))find_loaded(#symbol);              \
		return loaded ? loaded args : NULL;                             \
	}

#define NEW(symbol, fn, params, args, align)                                    \
	NEW_LATE(symbol, params, args, align)                                   \
	EXPORT void *symbol params;                                             \
	EXPORT void *symbol params                                              \
	{                                                                       \
		RESOLVE(void *(*)params, #symbol)                               \
		void *block = likely(next) ? next args : late##symbol args;     \
		record_new(fn, block, size, hook_sp());                         \
		return block;                                                   \
	}

#define DELETE(symbol, params, args)                                            \
	EXPORT void symbol params;                                              \
	EXPORT void symbol params                                               \
	{                                                                       \
		RESOLVE(void (*)params, #symbol)                                \
		record_delete(block, hook_sp());                                \
		if (likely(next))                                               \
			next args;                                              \
		else if (block && !early_owns(block))                           \
			real.free(block);                                       \
	}

/* operator new(size_t), new[], their nothrow, aligned and aligned nothrow forms. A const
 * std::nothrow_t& and a std::align_val_t are passed as a pointer and a size_t. */
NEW(_Znwm, MU_FN_MALLOC, (size_t size), (size), 0)
NEW(_Znam, MU_FN_MALLOC, (size_t size), (size), 0)
NEW(_ZnwmRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag), 0)
NEW(_ZnamRKSt9nothrow_t, MU_FN_MALLOC, (size_t size, const void *tag), (size, tag), 0)
NEW(_ZnwmSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align), align)
NEW(_ZnamSt11align_val_t, MU_FN_MEMALIGN, (size_t size, size_t align), (size, align), align)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,
    (size_t size, size_t align, const void *tag), (size, align, tag), align)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, MU_FN_MEMALIGN,
    (size_t size, size_t align, const void *tag), (size, align, tag), align)

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
