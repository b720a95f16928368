/* heap_ranges.c -- The parts of an address space that an allocator or the recorder has for itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/heap_ranges.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memusage/examine/allocator_library.h"
#include "memusage/examine/heap_place.h"
#include "memusage/examine/recorder_memory.h"
#include "memusage/examine/thread_storage.h"
#include "profile/base/array.h"

static void append_range(struct heap_ranges *h, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;
	array_reserve(&h->range, &h->room, h->count + UINT64_C(1), sizeof(*h->range));
	h->range[h->count++] = (struct heap_range){ start, end };
}

static struct heap_range range_around(const struct snapshot *s, const struct heap_block *b)
{
	const struct heap_place p = heap_place_find(&s->space, b);

	/* A file's mapping is no heap, whatever is in it. */
	if (p.kind == MU_HEAP_OTHER && p.area && p.area->flags & AREA_FILE)
		return (struct heap_range){ 0, 0 };
	return (struct heap_range){ p.start, p.end };
}

/* Each block is in a range, or extends the list by the one around it. Announced blocks are where
 * the program has put them, which is no heap of an allocator. */
static void append_heaps(struct heap_ranges *h, const struct snapshot *s)
{
	uint64_t upto = 0;

	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		struct heap_range r;

		if (b->is_announced || b->start < upto)
			continue;
		r = range_around(s, b);
		append_range(h, r.start, r.end);
		append_range(h, b->start, b->start + b->size);
		upto = r.end;
	}
}

static void append_brk(struct heap_ranges *h, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct area *a = &s->space.area[i];

		if (strcmp(a->name, "[heap]") == 0)
			append_range(h, a->start, a->end);
	}
}

static void append_recorder(struct heap_ranges *h, const struct snapshot *s)
{
	struct recorder_memory m;

	recorder_memory_read(&m, s);
	for (uint32_t i = 0; i < m.count; i++) {
		const struct mu_own_mapping *own = &m.mapping[i];

		if (own->size < UINT64_MAX - own->start)
			append_range(h, own->start, own->start + own->size);
	}
	recorder_memory_free(&m);
}

/* The thread-local variables of an allocator hold no block. But jemalloc notes which gigabytes
 * of addresses it has looked up last in them, and a block may begin where a gigabyte does. */
static void append_allocators(struct heap_ranges *h, const struct snapshot *s)
{
	struct process_modules modules;
	struct thread_storage storage;

	if (!allocator_library_is_mapped(&s->space))
		return;
	process_modules_read(&modules, s);
	thread_storage_find(&storage, s, &modules);
	for (uint32_t i = 0; i < storage.count; i++) {
		const struct storage_block *b = &storage.block[i];

		if (b->module != MODULES_NONE &&
		    allocator_library_is(modules.all.module[b->module].path))
			append_range(h, (b->start + 7) & -UINT64_C(8), b->end & -UINT64_C(8));
	}
	thread_storage_free(&storage);
	process_modules_free(&modules);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct heap_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void join_ranges(struct heap_ranges *h)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->count; i++) {
		const struct heap_range r = h->range[i];

		if (kept > 0 && r.start <= h->range[kept - 1].end)
			h->range[kept - 1].end = r.end > h->range[kept - 1].end ?
							 r.end : h->range[kept - 1].end;
		else
			h->range[kept++] = r;
	}
	h->count = kept;
}

void heap_ranges_find(struct heap_ranges *h, const struct snapshot *s)
{
	*h = (struct heap_ranges){ .count = 0 };
	append_brk(h, s);
	append_heaps(h, s);
	append_recorder(h, s);
	append_allocators(h, s);
	if (h->count > 0)
		qsort(h->range, h->count, sizeof(*h->range), compare_ranges);
	join_ranges(h);
}

uint32_t heap_ranges_first(const struct heap_ranges *h, uint64_t address)
{
	uint32_t i = (uint32_t)array_first_from(h->range, h->count, sizeof(*h->range),
						offsetof(struct heap_range, start), address);

	return i > 0 && h->range[i - 1].end > address ? i - 1 : i;
}

void heap_ranges_free(struct heap_ranges *h)
{
	free(h->range);
	*h = (struct heap_ranges){ .count = 0 };
}
