/* pick.c -- which image of a recording a report is about.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/pick.h"

#include <stdbool.h>

enum { MAX_GENERATIONS = 100 };

/* Whose an image is. */
struct origin {
	uint64_t start_ns; /* a forked child's copy of its parent's is not its own */
	pid_t seen;	   /* by the collector */
	pid_t pid, parent; /* by the process itself */
};

static bool read_slot_origin(const struct segment *s, uint32_t slot, struct origin *o)
{
	struct mu_slot entry;
	struct image im;

	if (!segment_slot(s, slot, &entry) ||
	    segment_image(s, slot, &im, NULL) < 0)
		return false;
	const struct mu_process *p = &im.head.process;
	o->start_ns = p->fork_mono_ns ? p->fork_mono_ns : p->start_mono_ns;
	o->seen = (pid_t)(entry.pid ? entry.pid : p->pid);
	o->pid = (pid_t)p->pid;
	o->parent = (pid_t)p->ppid;
	return true;
}

uint32_t pick_process(const struct segment *s, pid_t wanted)
{
	uint32_t found = PICK_NONE;
	uint64_t latest = 0;
	struct origin o;

	for (uint32_t k = 0; k < s->head.slot_count; k++)
		if (read_slot_origin(s, k, &o) && o.seen == wanted && o.start_ns >= latest) {
			found = k;
			latest = o.start_ns;
		}
	return found;
}

/* The earliest image, or with a process ID the earliest of that process. */
static bool find_earliest_image(const struct segment *s, pid_t pid, struct origin *first)
{
	bool found = false;
	struct origin o;

	for (uint32_t k = 0; k < s->head.slot_count; k++)
		if (read_slot_origin(s, k, &o) && (!pid || o.pid == pid) &&
		    (!found || o.start_ns < first->start_ns)) {
			*first = o;
			found = true;
		}
	return found;
}

uint32_t pick_main(const struct segment *s)
{
	struct origin first, parent;

	if (!find_earliest_image(s, 0, &first))
		return PICK_NONE;
	/* A child may be earlier than what is left of its parent, whose images before an exec
	 * are not kept. */
	for (int i = 0; i < MAX_GENERATIONS && first.parent; i++) {
		if (!find_earliest_image(s, first.parent, &parent))
			break;
		first = parent;
	}
	return pick_process(s, first.seen);
}
