/* target_heap.c -- The heap of a process that is attached to, read while it is stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/target_heap.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "memusage/allocator/allocator_kind.h"

/* process_vm_readv() needs two thirds of the time of /proc/PID/mem, but a first thread that has
 * ended has no memory. */
static bool read_target(const void *data, uint64_t address, void *to, size_t size)
{
	const struct target *t = data;

	return address_space_read(&t->maps, address, to, size) == size ||
	       target_read(t, address, to, size);
}

int target_heap_check(const struct target *t, unsigned int *release, struct mu_error *err)
{
	const struct heap_memory m = { .space = &t->maps, .read = read_target, .data = t };

	if (allocator_kind_check(&t->maps, t->view, err) < 0)
		return -1;
	*release = glibc_layout_release(&m);
	return 0;
}

enum heap_result target_heap_walk(const struct target *t, struct glibc_heap *h,
				  const struct heap_walk *walk)
{
	const uint32_t count = t->tracee.count;
	uint64_t *thread = xcalloc(count + 1, sizeof(*thread));
	const struct heap_memory m = { .space = &t->maps, .thread = thread, .threads = count,
				       .read = read_target, .data = t };
	enum heap_result result;

	for (uint32_t i = 0; i < count; i++)
		thread[i] = tracee_base(&t->tracee.thread[i]);
	result = glibc_heap_walk(h, &m, walk);
	free(thread);
	return result;
}
