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

#include "profile/base/array.h"

enum {
	CHUNK_IS_MAPPED = 2,
	CHUNK_IN_ARENA = 4,
	CHUNK_FLAGS = 7,
	CHUNK_HEADER = 16,
	OWN_MAX = 1 << 16
};
#define ARENA_SIZE (UINT64_C(64) << 20)

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
	uint64_t list[2]; /* address, count */
	struct mu_own_mapping own;

	if (address_space_read(&s->space, s->examined.own, list, sizeof(list)) != sizeof(list))
		return;
	for (uint64_t i = 0; i < list[1] && i < OWN_MAX; i++) {
		if (address_space_read(&s->space, list[0] + i * sizeof(own), &own, sizeof(own)) !=
		    sizeof(own))
			return;
		append_own_mapping(m, s, &own);
	}
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The library, and the memory of the recording. */
static bool is_recorders_file(const struct area *a)
{
	const char *base = strrchr(a->name, '/');

	return base && (has_prefix(base, "/libmemusage") || has_prefix(a->name, "/memfd:memusage"));
}

/* ---- the heap ------------------------------------------------------------------------------- */

/* Without glibc's words it is the heap of another allocator: the mapping, if it is no file's. */
static struct memory_part part_of_mapping(const struct area *a)
{
	struct memory_part p = { .start = a->start, .end = a->end, .part = MU_PAGES_LIVE,
				 .heap = strcmp(a->name, "[heap]") == 0 ? MU_HEAP_MAIN :
									  MU_HEAP_OTHER };

	if (a->flags & (AREA_FILE | AREA_SHARED))
		p.end = p.start;
	return p;
}

static struct memory_part part_of_arena(const struct area *a, uint64_t block)
{
	const uint64_t start = block & -ARENA_SIZE;

	return (struct memory_part){
		.start = start > a->start ? start : a->start,
		.end = a->end < start + ARENA_SIZE ? a->end : start + ARENA_SIZE,
		.part = MU_PAGES_LIVE, .heap = MU_HEAP_ARENA,
	};
}

static struct memory_part part_around(const struct snapshot *s, const struct heap_block *b)
{
	const struct area *a = address_space_find(&s->space, b->start);
	uint64_t word[2], size;

	if (!a)
		return (struct memory_part){ .start = 0 };
	if (strcmp(a->name, "[heap]") == 0 ||
	    address_space_read(&s->space, b->start - CHUNK_HEADER, word, sizeof(word)) !=
		    sizeof(word))
		return part_of_mapping(a);
	size = word[1] & ~(uint64_t)CHUNK_FLAGS;
	if (word[1] & CHUNK_IS_MAPPED && round_down(word[0]) == 0 && size >= b->size &&
	    round_down(size - b->size) < 2 * round_up(1))
		return (struct memory_part){
			.start = round_down(b->start - CHUNK_HEADER - word[0]),
			.end = round_up(b->start - CHUNK_HEADER + size),
			.part = MU_PAGES_LIVE, .heap = MU_HEAP_MAPPED,
		};
	if ((word[1] & (CHUNK_IS_MAPPED | CHUNK_IN_ARENA)) == CHUNK_IN_ARENA)
		return part_of_arena(a, b->start);
	return part_of_mapping(a);
}

static void append_heap(struct memory_parts *m, const struct snapshot *s)
{
	uint64_t upto = 0;

	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		struct memory_part p;

		/* Announced blocks are where the program has put them. */
		if (b->is_announced || b->start < upto)
			continue;
		p = part_around(s, b);
		append_part(m, &p);
		upto = p.end;
	}
	for (uint32_t i = 0; i < s->space.count; i++) {
		struct memory_part p = part_of_mapping(&s->space.area[i]);

		if (p.heap == MU_HEAP_MAIN)
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

/* Of parts that begin at one address the one that is known best comes first. */
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
		.part = is_recorders_file(a)		     ? MU_PAGES_RECORDER :
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
