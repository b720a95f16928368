/* mappings.c -- the calls of mmap, munmap and mremap in a process that was attached to (-m).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <link.h>
#include <stddef.h>
#include <sys/mman.h>

#include "libmemusage/attach/attached.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/mapping_event.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/tables/mapping.h"
#include "libmemusage/unwind/stack_memory.h"

/* libc maps the stacks of threads and large blocks by these functions, too, which a preloaded
 * recorder does not see: what returns to libc is not the program's. Before 2.34 the library of
 * threads is another. */
static struct {
	uint64_t start, size;
} libc[2];

static bool is_made_by_libc(const struct entry_call *call)
{
	return call->return_address - libc[0].start < libc[0].size ||
	       call->return_address - libc[1].start < libc[1].size;
}

/* ---- mmap ---------------------------------------------------------------------------------- */

enum { MMAP_LENGTH, MMAP_KIND, MMAP_REPLACES };

static bool before_mmap(struct entry_call *call)
{
	const int flags = (int)entry_argument(call, 4);

	call->note[MMAP_LENGTH] = entry_argument(call, 2);
	call->note[MMAP_KIND] = mapping_event_kind((int)entry_argument(call, 3), flags);
	call->note[MMAP_REPLACES] = flags & MAP_FIXED;
	if (flags & MAP_FIXED)
		stack_memory_changed(entry_argument(call, 1), call->note[MMAP_LENGTH]);
	return !is_made_by_libc(call);
}

static void after_mmap(struct entry_call *call)
{
	struct thread *thread = entry_enter();

	if (!thread)
		return;
	mapping_event_mapped(thread, (const void *)call->rax, call->note[MMAP_LENGTH],
			     (enum mu_fn)call->note[MMAP_KIND], call->note[MMAP_REPLACES] != 0,
			     entry_call_sp(call));
	hook_leave(thread);
}

/* ---- mremap -------------------------------------------------------------------------------- */

enum { MREMAP_OLD, MREMAP_OLD_SIZE, MREMAP_NEW_SIZE };

static bool before_mremap(struct entry_call *call)
{
	const bool replaces = entry_argument(call, 4) & MREMAP_FIXED;

	call->note[MREMAP_OLD] = entry_argument(call, 1);
	call->note[MREMAP_OLD_SIZE] = entry_argument(call, 2);
	call->note[MREMAP_NEW_SIZE] = entry_argument(call, 3);
	call->block.size = replaces; /* there is no block, nor more room */
	stack_memory_changed(call->note[MREMAP_OLD], call->note[MREMAP_OLD_SIZE]);
	if (replaces)
		stack_memory_changed(entry_argument(call, 5), call->note[MREMAP_NEW_SIZE]);
	return !is_made_by_libc(call);
}

static void after_mremap(struct entry_call *call)
{
	const struct mapping_move move = {
		(const void *)call->note[MREMAP_OLD], call->note[MREMAP_OLD_SIZE],
		(const void *)call->rax, call->note[MREMAP_NEW_SIZE], call->block.size != 0
	};
	struct thread *thread = entry_enter();

	if (!thread)
		return;
	mapping_event_moved(thread, &move, entry_call_sp(call));
	hook_leave(thread);
}

/* ---- munmap -------------------------------------------------------------------------------- */

enum { MUNMAP_START, MUNMAP_LENGTH, MUNMAP_CHANGE };

/* The range is forgotten before another thread can map it again. */
static bool before_munmap(struct entry_call *call)
{
	const uint64_t start = entry_argument(call, 1), length = entry_argument(call, 2);
	struct thread *thread;

	stack_memory_changed(start, length);
	if (is_made_by_libc(call))
		return false;
	call->note[MUNMAP_START] = start;
	call->note[MUNMAP_LENGTH] = length;
	call->note[MUNMAP_CHANGE] = 0;
	thread = entry_enter();
	if (!thread)
		return false;
	call->note[MUNMAP_CHANGE] = (uint64_t)mapping_remove(start, length);
	hook_leave(thread);
	return true;
}

static void after_munmap(struct entry_call *call)
{
	struct thread *thread = entry_enter();

	if (!thread)
		return;
	mapping_event_unmapped(thread, (const void *)call->note[MUNMAP_START],
			       call->note[MUNMAP_LENGTH], (int64_t)call->note[MUNMAP_CHANGE],
			       (int)call->rax != 0, entry_call_sp(call));
	hook_leave(thread);
}

/* ---- beginning ----------------------------------------------------------------------------- */

static void note_range(unsigned int which, const struct link_map *map)
{
	struct object object;

	if (!map || !object_read(map, &object))
		return;
	libc[which].start = object.start;
	libc[which].size = object.end - object.start;
}

const char *mappings_patch(const struct patch *p, const char **why)
{
	static const struct {
		const char *name;
		bool (*before)(struct entry_call *call);
		void (*after)(struct entry_call *call);
	} functions[] = {
		{ "mmap", before_mmap, after_mmap },
		{ "munmap", before_munmap, after_munmap },
		{ "mremap", before_mremap, after_mremap },
	};
	const struct link_map *of_libc = lookup_object("gnu_get_libc_version");

	/* There free() ends by a jump to munmap, which then returns to the program. 2.33 brought
	 * mallinfo2(), and a free() that keeps errno. */
	*why = "free() of glibc before 2.33 calls it in a way that looks like the program's";
	if (!of_libc || !lookup_in(of_libc, "mallinfo2"))
		return "munmap";
	note_range(0, of_libc);
	note_range(1, lookup_object("pthread_create"));
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct entry_hook hook = { .before = functions[i].before,
					   .after = functions[i].after };

		*why = "libc has no such function of known size";
		if (lookup_sized(of_libc, functions[i].name, &hook.function, &hook.size))
			*why = entry_patch(p, &hook, 0);
		if (*why)
			return functions[i].name;
	}
	return NULL;
}
