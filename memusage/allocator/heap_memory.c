/* heap_memory.c -- The memory of a stopped process, as a walk of its heap reads it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/heap_memory.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

#define PAGE UINT64_C(4096)

enum {
	WINDOW_MOST = 1 << 20,
	WINDOW_GROWTH = 4,
	NEAR = 2048 /* bytes behind a part: still the next word of small blocks */
};

bool heap_memory_is_data(const struct heap_memory *m, uint64_t address)
{
	const struct area *a = address_space_find(m->space, address);

	return a && (a->flags & (AREA_WRITE | AREA_FILE | AREA_SHARED)) == AREA_WRITE;
}

void heap_window_open(struct heap_window *w, const struct heap_memory *m)
{
	*w = (struct heap_window){ .memory = m, .bytes = xmalloc(WINDOW_MOST) };
}

/* Large blocks are stepped over, so that their pages are not copied; small ones are read in parts
 * that grow. */
bool heap_window_fetch(struct heap_window *w, uint64_t address)
{
	const uint64_t start = address & -PAGE;
	uint64_t end;

	if (w->end == 0 || address > w->end + NEAR || address < w->start)
		w->size = PAGE;
	else if (w->size < WINDOW_MOST)
		w->size *= WINDOW_GROWTH;
	w->start = w->end = 0;
	if (!w->area || address < w->area->start || address >= w->area->end)
		w->area = address_space_find(w->memory->space, address);
	if (!w->area || address + sizeof(uint64_t) > w->area->end)
		return false;
	end = start + w->size < w->area->end ? start + w->size : w->area->end;
	if (!heap_memory_read(w->memory, start, w->bytes, end - start))
		return false;
	w->start = start;
	w->end = end;
	/* A word on two pages. */
	return address + sizeof(uint64_t) <= end;
}

void heap_window_close(struct heap_window *w)
{
	free(w->bytes);
	*w = (struct heap_window){ .memory = NULL };
}
