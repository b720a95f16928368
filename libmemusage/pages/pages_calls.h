/* pages_calls.h -- the effect of each call of the mmap family on the pages that are mapped.
 *
 * The interposed functions (interpose_map.c) and the hooks of libc's own (pages_entry.c) call these
 * inside the hook, before and after the call, with signals masked. errno is kept.
 *
 * Source  mmap(2), mremap(2), brk(2), shmop(2); ranges are rounded to pages as the kernel does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/event/event.h"
#include "libmemusage/pages/pages.h"

enum pages_fn {
	PAGES_MMAP, PAGES_MUNMAP, PAGES_MREMAP, PAGES_BRK, PAGES_SHMAT, PAGES_SHMDT, PAGES_FNS
};

/* The address after the system call in libc's function of that name, 0 if it is not known. */
extern HIDDEN uint64_t pages_pc[PAGES_FNS];

/* The begin of a call leaves this for its end. Zeroed: nothing. */
struct pages_op {
	uint64_t start, length; /* as given */
	uint64_t size;		/* mremap: the new one; mmap: flags above, prot below */
	uint32_t held;
	/* Signals are blocked from before the hook is entered until after it is left: mappings of
	 * a handler in between would not be seen. */
	struct signal_mask mask;
};

/* pages_are_counted -- return whether pages are the heap; false before recording has begun, which
 * will find all mappings. */
static inline bool pages_are_counted(void)
{
	return rec.flags & MU_CFG_PAGES;
}

/* pages_enter -- block all signals and enter the hook.
 *
 * mask  set, for pages_leave(), which follows in any case.
 * Returns NULL if the call is not recorded. Async-signal-safe.
 */
static inline struct thread *pages_enter(struct signal_mask *mask)
{
	signal_mask_all(mask);
	return hook_enter();
}

/* pages_leave -- leave the hook and restore the signals.
 *
 * thread  from pages_enter(); NULL: only the signals.
 */
static inline void pages_leave(struct thread *thread, const struct signal_mask *mask)
{
	if (thread)
		hook_leave(thread);
	signal_mask_restore(mask);
}

/* pages_mmap -- record an mmap that returned.
 *
 * result  of the call; MAP_FAILED counts as a failed call.
 * op      from pages_mmap_op().
 */
void pages_mmap(struct thread *thread, const struct pages_place *place, void *result,
		const struct pages_op *op);

/* pages_mmap_op -- pack the arguments of an mmap. */
static inline struct pages_op pages_mmap_op(size_t length, int prot, int flags)
{
	return (struct pages_op){ .length = length,
				  .size = (uint64_t)(uint32_t)flags << 32 | (uint32_t)prot };
}

/* pages_munmap_begin, pages_munmap_end -- record a munmap, before and after it.
 *
 * op      zeroed before the first, which leaves in it what the second needs.
 * failed  the call returned -1: nothing has changed.
 */
void pages_munmap_begin(struct pages_op *op, uint64_t start, uint64_t length);
void pages_munmap_end(struct thread *thread, const struct pages_place *place,
		      const struct pages_op *op, bool failed);

/* pages_mremap_begin, pages_mremap_end -- record an mremap, before and after it.
 *
 * op      as for pages_munmap_begin().
 * length  the old one, size the new one, bytes.
 * result  of the call; MAP_FAILED: nothing has changed.
 */
void pages_mremap_begin(struct pages_op *op, uint64_t start, uint64_t length, uint64_t size,
			int flags);
void pages_mremap_end(struct thread *thread, const struct pages_place *place,
		      const struct pages_op *op, void *result);

/* pages_brk -- record a brk or sbrk that returned.
 *
 * Asks the kernel where the break is now, so the result of the call does not matter.
 */
void pages_brk(struct thread *thread, const struct pages_place *place);

/* pages_brk_start -- note the present break, when pages begin to be counted. */
void pages_brk_start(void);

/* pages_shmat -- record a shmat that returned.
 *
 * id      of the segment, whose length the kernel is asked for.
 * result  of the call; (void *)-1 counts as a failed call.
 */
void pages_shmat(struct thread *thread, const struct pages_place *place, int id, void *result);

/* pages_shmdt_begin -- record a shmdt, before it; pages_munmap_end() follows. */
void pages_shmdt_begin(struct pages_op *op, uint64_t start);
