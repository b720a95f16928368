/* interpose_brk.c -- brk, sbrk, shmat, shmdt: counted with pages as heap.
 *
 * libc's own calls of brk do not come here, see pages_entry.c. But every call asks the kernel where
 * the break is, so nothing is lost, only attributed late.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <sys/shm.h>
#include <unistd.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/event/event.h"
#include "libmemusage/pages/pages_calls.h"

/* False before recording has begun, which will find all mappings. */
static bool is_counting_pages(void)
{
	return rec.flags & MU_CFG_PAGES;
}

static void record_brk(uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_BRK] };
	struct signal_mask mask;
	struct thread *thread;

	signal_mask_all(&mask);
	thread = hook_enter();
	if (thread) {
		pages_brk(thread, &place);
		hook_leave(thread);
	}
	signal_mask_restore(&mask);
}

static void record_shmat(int id, void *result, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_SHMAT] };
	struct signal_mask mask;
	struct thread *thread;

	signal_mask_all(&mask);
	thread = hook_enter();
	if (thread) {
		pages_shmat(thread, &place, id, result);
		hook_leave(thread);
	}
	signal_mask_restore(&mask);
}

static int shmdt_pages(const void *start, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_SHMDT] };
	struct pages_op op = { .size = 0 };
	struct thread *thread;

	signal_mask_all(&op.mask);
	thread = hook_enter();
	if (thread) {
		pages_shmdt_begin(&op, (uint64_t)start);
		hook_leave(thread);
	}
	int result = real.shmdt(start);
	thread = hook_enter();
	if (thread) {
		pages_munmap_end(thread, &place, &op, result != 0);
		hook_leave(thread);
	}
	signal_mask_restore(&op.mask);
	return result;
}

EXPORT int brk(void *end)
{
	int result = real.brk(end);

	if (is_counting_pages())
		record_brk(hook_sp());
	return result;
}

EXPORT void *sbrk(intptr_t change)
{
	void *result = real.sbrk(change);

	if (is_counting_pages())
		record_brk(hook_sp());
	return result;
}

EXPORT void *shmat(int id, const void *start, int flags)
{
	void *result = real.shmat(id, start, flags);

	if (is_counting_pages())
		record_shmat(id, result, hook_sp());
	return result;
}

EXPORT int shmdt(const void *start)
{
	return is_counting_pages() ? shmdt_pages(start, hook_sp()) : real.shmdt(start);
}
