/* interpose_map.c -- mmap, mmap64, mremap, munmap (counted with -m).
 *
 * Only calls through the PLT are seen, as with glibc's tool: libc's own use neither the PLT nor
 * these names. With pages as heap pages_entry.c records those; the functions here record the
 * program's calls where code cannot be changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/mapping_event.h"
#include "libmemusage/pages/pages_calls.h"
#include "libmemusage/tables/mapping.h"
#include "libmemusage/unwind/stack_memory.h"

static struct thread *enter_counting_mmap(void)
{
	struct thread *thread = hook_enter();

	if (thread && !(rec.flags & MU_CFG_MMAP)) {
		hook_leave(thread);
		return NULL;
	}
	return thread;
}

static void record_mmap(void *start, size_t length, int prot, int flags, uint64_t sp)
{
	struct thread *thread = enter_counting_mmap();

	if (!thread)
		return;
	mapping_event_mapped(thread, start, length, mapping_event_kind(prot, flags),
			     flags & MAP_FIXED, sp);
	hook_leave(thread);
}

/* ---- with pages as heap ------------------------------------------------------------------ */

static void record_pages(void *start, size_t length, int prot, int flags, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_MMAP] };
	struct pages_op op = pages_mmap_op(length, prot, flags);
	struct thread *thread = pages_enter(&op.mask);

	if (thread)
		pages_mmap(thread, &place, start, &op);
	pages_leave(thread, &op.mask);
}

static void *mremap_pages(void *old, size_t old_size, size_t new_size, int flags, void *start,
			  uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_MREMAP] };
	struct pages_op op = { .size = 0 };
	struct thread *thread = pages_enter(&op.mask);

	if (thread) {
		pages_mremap_begin(&op, (uint64_t)old, old_size, new_size, flags);
		hook_leave(thread);
	}
	void *result = real.mremap(old, old_size, new_size, flags, start);
	thread = hook_enter();
	if (thread)
		pages_mremap_end(thread, &place, &op, result);
	pages_leave(thread, &op.mask);
	return result;
}

static int munmap_pages(void *start, size_t length, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_MUNMAP] };
	struct pages_op op = { .size = 0 };
	struct thread *thread = pages_enter(&op.mask);

	if (thread) {
		pages_munmap_begin(&op, (uint64_t)start, length);
		hook_leave(thread);
	}
	int result = real.munmap(start, length);
	thread = hook_enter();
	if (thread)
		pages_munmap_end(thread, &place, &op, result != 0);
	pages_leave(thread, &op.mask);
	return result;
}

/* ---- what programs call ------------------------------------------------------------------ */

EXPORT void *mmap(void *start, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED)
		stack_memory_changed((uint64_t)start, length);
	void *result = real.mmap(start, length, prot, flags, fd, offset);

	if (pages_are_counted())
		record_pages(result, length, prot, flags, hook_sp());
	else
		record_mmap(result, length, prot, flags, hook_sp());
	return result;
}

EXPORT void *mmap64(void *start, size_t length, int prot, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

EXPORT void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	struct thread *thread;
	void *start = NULL;
	void *result;
	va_list more;

	va_start(more, flags);
	if (flags & MREMAP_FIXED)
		start = va_arg(more, void *);
	va_end(more);
	stack_memory_changed((uint64_t)old, old_size);
	if (flags & MREMAP_FIXED)
		stack_memory_changed((uint64_t)start, new_size);
	if (pages_are_counted())
		return mremap_pages(old, old_size, new_size, flags, start, hook_sp());
	result = real.mremap(old, old_size, new_size, flags, start);
	thread = enter_counting_mmap();
	if (!thread)
		return result;
	mapping_event_moved(thread, &(struct mapping_move){ old, old_size, result, new_size,
							    flags & MREMAP_FIXED }, hook_sp());
	hook_leave(thread);
	return result;
}

/* Recorded before the range can be mapped again by another thread; taken back on failure. */
EXPORT int munmap(void *start, size_t length)
{
	struct thread *thread;
	int64_t change = 0;
	int result;

	stack_memory_changed((uint64_t)start, length);
	/* Before the hook is entered, in which a handler would not be seen. */
	if (pages_are_counted())
		return munmap_pages(start, length, hook_sp());
	thread = enter_counting_mmap();
	if (unlikely(pages_are_counted())) { /* this call was the first event */
		if (thread)
			hook_leave(thread);
		return munmap_pages(start, length, hook_sp());
	}
	if (thread) {
		change = mapping_remove((uint64_t)start, length);
		hook_leave(thread);
	}
	result = real.munmap(start, length);
	thread = enter_counting_mmap();
	if (!thread)
		return result;
	mapping_event_unmapped(thread, start, length, change, result != 0, hook_sp());
	hook_leave(thread);
	return result;
}
