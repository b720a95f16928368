/* mapping_event.c -- recording the calls that map memory and unmap it (-m).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/mapping_event.h"

#include <sys/mman.h>

#include "libmemusage/event/event.h"
#include "libmemusage/tables/mapping.h"

enum mu_fn mapping_event_kind(int prot, int flags)
{
	if (flags & MAP_ANONYMOUS)
		return MU_FN_MMAP_A;
	return prot & PROT_WRITE ? MU_FN_MMAP_W : MU_FN_MMAP_R;
}

static void count_failed(struct thread *thread, enum mu_fn fn)
{
	thread->pub.counters.calls[fn]++;
	thread->pub.counters.failed[fn]++;
}

void mapping_event_mapped(struct thread *thread, const void *start, size_t length, enum mu_fn kind,
			  bool replaces, uint64_t sp)
{
	int64_t change = 0;

	if (start == MAP_FAILED) {
		count_failed(thread, kind);
		return;
	}
	count_call(&thread->pub.counters, kind, length, length);
	if (kind == MU_FN_MMAP_W)
		change = mapping_add((uint64_t)start, length);
	else if (replaces)
		change = mapping_remove((uint64_t)start, length);
	if (change)
		event_change(thread, change, sp);
}

void mapping_event_moved(struct thread *thread, const struct mapping_move *move, uint64_t sp)
{
	const uint64_t old_size = move->old_size, new_size = move->new_size;
	int64_t change;

	if (move->result == MAP_FAILED) {
		count_failed(thread, MU_FN_MREMAP);
		return;
	}
	count_call(&thread->pub.counters, MU_FN_MREMAP,
		   new_size > old_size ? new_size - old_size : 0, new_size);
	thread->pub.counters.mremap_nomove += move->result == move->old;
	thread->pub.counters.mremap_dec += old_size > new_size;
	change = mapping_remove((uint64_t)move->old, old_size);
	if (change)
		change += mapping_add((uint64_t)move->result, new_size);
	else if (move->replaces)
		change = mapping_remove((uint64_t)move->result, new_size);
	if (change)
		event_change(thread, change, sp);
}

void mapping_event_unmapped(struct thread *thread, const void *start, size_t length, int64_t change,
			    bool has_failed, uint64_t sp)
{
	if (has_failed) {
		count_failed(thread, MU_FN_MUNMAP);
		if (change)
			mapping_add((uint64_t)start, length);
		return;
	}
	thread->pub.counters.calls[MU_FN_MUNMAP]++;
	thread->pub.counters.bytes[MU_FN_MUNMAP] += length;
	if (change)
		event_change(thread, change, sp);
}
