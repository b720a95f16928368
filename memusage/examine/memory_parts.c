/* memory_parts.c -- What the parts of an address space are for: heap, recorder, stacks, others.
 *
 * First come the ranges that are known by something else than the list of mappings: the recorder's,
 * those around blocks, stacks. The kernel may have merged them with others into one mapping. The
 * list divides what no range has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/memory_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memusage/examine/heap_place.h"
#include "memusage/examine/recorder_memory.h"
#include "profile/base/array.h"

static uint64_t round_down(uint64_t address)
{
	return address & -(uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t round_up(uint64_t address)
{
	return round_down(address + (uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

static void append_part(struct memory_parts *m, const struct memory_part *p)
{
	if (p->start >= p->end)
		return;
	array_reserve(&m->part, &m->room, m->count + UINT64_C(1), sizeof(*m->part));
	m->part[m->count++] = *p;
}

/* ---- the recorder --------------------------------------------------------------------------- */

static void append_own_mapping(struct memory_parts *m, const struct snapshot *s,
			       const struct mu_own_mapping *own)
{
	const struct area *a = address_space_find(&s->space, own->start);
	const struct memory_part p = {
		.start = round_down(own->start),
		.end = own->size < UINT64_MAX / 2 ? round_up(own->start + own->size) : 0,
		.part = MU_PAGES_RECORDER,
		.is_shared = a && a->flags & AREA_SHARED,
	};

	append_part(m, &p);
}

static void append_recorder(struct memory_parts *m, const struct snapshot *s)
{
	struct recorder_memory own;

	recorder_memory_read(&own, s);
	for (uint32_t i = 0; i < own.count; i++)
		append_own_mapping(m, s, &own.mapping[i]);
	recorder_memory_free(&own);
}

/* ---- the heap ------------------------------------------------------------------------------- */

/* The mapping of a file, or of shared memory, is no heap, also if it has blocks in it. */
static struct memory_part part_of_place(const struct heap_place *h)
{
	struct memory_part p = { .start = h->start, .end = h->end, .part = MU_PAGES_LIVE,
				 .heap = h->kind };

	if (h->kind == MU_HEAP_ARENA && p.start < h->area->start)
		p.start = h->area->start;
	if ((h->kind == MU_HEAP_MAIN || h->kind == MU_HEAP_OTHER) && h->area &&
	    h->area->flags & (AREA_FILE | AREA_SHARED))
		p.end = p.start;
	return p;
}

static bool begins_part(const struct memory_parts *m, uint32_t from, uint64_t start)
{
	for (uint32_t i = from; i < m->count; i++) {
		if (m->part[i].start == start)
			return true;
	}
	return false;
}

static void append_heap(struct memory_parts *m, const struct snapshot *s)
{
	const uint32_t first = m->count;
	uint64_t upto = 0;

	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		struct heap_place place;
		struct memory_part p;

		/* Announced blocks are where the program has put them. */
		if (b->is_announced || b->start < upto)
			continue;
		place = heap_place_find(&s->space, b);
		p = part_of_place(&place);
		append_part(m, &p);
		upto = p.end;
	}
	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct heap_place place = heap_place_of_area(&s->space.area[i]);
		const struct memory_part p = part_of_place(&place);

		/* Its blocks have told whose "[heap]" is. */
		if (p.heap == MU_HEAP_MAIN && !begins_part(m, first, p.start))
			append_part(m, &p);
	}
}

/* ---- stacks --------------------------------------------------------------------------------- */

static void append_stacks(struct memory_parts *m, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->tracee.count; i++) {
		uint64_t sp = tracee_stack(&s->tracee.thread[i]);
		const struct area *a = address_space_find(&s->space, sp);

		if (a && !(a->flags & (AREA_FILE | AREA_SHARED)))
			append_part(m, &(const struct memory_part){ .start = a->start,
								    .end = a->end,
								    .part = MU_PAGES_STACKS });
	}
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* If parts begin at one address, the one that is known best comes first. */
static int rank_part(const struct memory_part *p)
{
	return p->part == MU_PAGES_RECORDER ? 0 : p->part == MU_PAGES_LIVE ? 1 : 2;
}

static int compare_parts(const void *a, const void *b)
{
	const struct memory_part *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (rank_part(x) != rank_part(y))
		return rank_part(x) - rank_part(y);
	return x->end < y->end ? 1 : x->end > y->end ? -1 : 0;
}

/* Cuts what is in two parts. A part within another one divides it, if it is known better. */
static void cut_overlaps(struct memory_parts *m)
{
	struct memory_parts cut = { .count = 0 };
	uint64_t end = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		struct memory_part p = m->part[i];

		for (uint32_t k = i + 1; k < m->count && m->part[k].start < p.end; k++) {
			struct memory_part rest = p;

			if (rank_part(&m->part[k]) >= rank_part(&p))
				continue;
			p.end = m->part[k].start;
			rest.start = m->part[k].end;
			/* The rest is met later, at its place. */
			if (rest.start < rest.end) {
				append_part(m, &rest);
				qsort(m->part + i + 1, m->count - i - 1, sizeof(*m->part),
				      compare_parts);
			}
			break;
		}
		p.start = p.start > end ? p.start : end;
		append_part(&cut, &p);
		end = p.end > end ? p.end : end;
	}
	free(m->part);
	*m = cut;
}

static void append_gap(struct memory_parts *m, const struct area *a, uint64_t start, uint64_t end)
{
	const bool is_file = a->flags & (AREA_FILE | AREA_SHARED);
	const struct memory_part p = {
		.start = start, .end = end, .is_shared = is_file,
		.part = recorder_memory_is_file(a)	     ? MU_PAGES_RECORDER :
			is_file				     ? MU_PAGES_FILES :
			strcmp(a->name, "[stack]") == 0	     ? MU_PAGES_STACKS :
							       MU_PAGES_MAPPINGS,
	};

	append_part(m, &p);
}

/* Adds what of each mapping is in none of the first KNOWN parts, which are in order. */
static void append_gaps(struct memory_parts *m, const struct snapshot *s, uint32_t known)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct area *a = &s->space.area[i];
		uint64_t at = a->start;

		while (next < known && m->part[next].end <= a->start)
			next++;
		for (uint32_t k = next; k < known && m->part[k].start < a->end; k++) {
			append_gap(m, a, at, m->part[k].start);
			at = m->part[k].end;
		}
		append_gap(m, a, at, a->end);
	}
}

void memory_parts_find(struct memory_parts *m, const struct snapshot *s)
{
	*m = (struct memory_parts){ .count = 0 };
	append_recorder(m, s);
	append_heap(m, s);
	append_stacks(m, s);
	if (m->count > 0)
		qsort(m->part, m->count, sizeof(*m->part), compare_parts);
	cut_overlaps(m);
	append_gaps(m, s, m->count);
	qsort(m->part, m->count, sizeof(*m->part), compare_parts);
}

void memory_parts_free(struct memory_parts *m)
{
	free(m->part);
	*m = (struct memory_parts){ .count = 0 };
}
