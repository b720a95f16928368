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
#include "libmemusage/event/event.h"
#include "libmemusage/pages/pages_calls.h"

static void record_brk(uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_BRK] };
	struct signal_mask mask;
	struct thread *thread = pages_enter(&mask);

	if (thread)
		pages_brk(thread, &place);
	pages_leave(thread, &mask);
}

static void record_shmat(int id, void *result, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_SHMAT] };
	struct signal_mask mask;
	struct thread *thread = pages_enter(&mask);

	if (thread)
		pages_shmat(thread, &place, id, result);
	pages_leave(thread, &mask);
}

static int shmdt_pages(const void *start, uint64_t sp)
{
	struct pages_place place = { sp, pages_pc[PAGES_SHMDT] };
	struct pages_op op = { .size = 0 };
	struct thread *thread = pages_enter(&op.mask);

	if (thread) {
		pages_shmdt_begin(&op, (uint64_t)start);
		hook_leave(thread);
	}
	int result = real.shmdt(start);
	thread = hook_enter();
	if (thread)
		pages_munmap_end(thread, &place, &op, result != 0);
	pages_leave(thread, &op.mask);
	return result;
}

EXPORT int brk(void *end)
{
	int result = real.brk(end);

	if (pages_are_counted())
		record_brk(hook_sp());
	return result;
}

EXPORT void *sbrk(intptr_t change)
{
	void *result = real.sbrk(change);

	if (pages_are_counted())
		record_brk(hook_sp());
	return result;
}

EXPORT void *shmat(int id, const void *start, int flags)
{
	void *result = real.shmat(id, start, flags);

	if (pages_are_counted())
		record_shmat(id, result, hook_sp());
	return result;
}

EXPORT int shmdt(const void *start)
{
	return pages_are_counted() ? shmdt_pages(start, hook_sp()) : real.shmdt(start);
}
