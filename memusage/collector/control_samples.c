/* control_samples.c -- The samples of memory that a client of a collector gets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/control_samples.h"

#include <sys/mman.h>
#include <unistd.h>

#include "memusage/collector/tree_memory.h"
#include "memusage/common/control_wire.h"

static bool write_samples(int fd, const struct process *p)
{
	const size_t size = p->samples.count * sizeof(*p->samples.item);
	struct control_samples head = { .slot = (uint32_t)p->slot, .count = p->samples.count,
					.rss_peak = p->samples.rss_peak };
	struct mu_slot slot;

	if (!segment_slot(&p->arena->view, head.slot, &slot))
		return true;
	head.generation = slot.generation;
	return write(fd, &head, sizeof(head)) == sizeof(head) &&
	       write(fd, p->samples.item, size) == (ssize_t)size;
}

int control_samples_open(struct tree *t, const struct arena *arena, const struct process *one)
{
	int fd = memfd_create("memusage-samples", MFD_CLOEXEC);
	bool is_written = fd >= 0;

	for (size_t i = 0; is_written && i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (p->arena != arena || !p->is_live || p->slot < 0 || (one && p != one))
			continue;
		tree_memory_sample_now(t, p);
		if (p->samples.count > 0)
			is_written = write_samples(fd, p);
	}
	if (fd >= 0 && !is_written) {
		close(fd);
		fd = -1;
	}
	return fd;
}
