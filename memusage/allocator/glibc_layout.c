/* glibc_layout.c -- Where glibc's malloc has its own data in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/glibc_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum {
	BINS = 127,
	EMPTY_BINS_LEAST = 20, /* that lead to themselves: many sizes are never free */
	ARENAS_MOST = 65536,
	HEAD = 16, /* of a chunk, before what a bin points at */
	PAGE = 4096,
	AREA_MOST = 64 << 20 /* any file can have the name of libc */
};

/* The defaults of mallopt(): a program that sets them is not found, and not guessed at. */
#define TOP_PAD UINT64_C(131072)
#define MAPPED_MOST 65536

/* Offsets in struct malloc_par. */
struct parameter_form {
	unsigned int mapped, mapped_most, mapped_bytes, brk_start, bytes;
	unsigned int cache_most; /* 0: caches count what they have */
};

static const struct parameter_form first_form = {
	.mapped = 40, .mapped_most = 44, .mapped_bytes = 56, .brk_start = 72, .bytes = 104,
};
static const struct parameter_form form_with_huge_pages = {
	.mapped = 60, .mapped_most = 64, .mapped_bytes = 80, .brk_start = 96, .bytes = 128,
};
static const struct parameter_form newest_form = {
	.mapped = 68, .mapped_most = 72, .mapped_bytes = 88, .brk_start = 104, .bytes = 136,
	.cache_most = 128,
};

/* One alone: the structure of one release looks like that of another 8 bytes further on. */
static const struct parameter_form *parameters_of(unsigned int release)
{
	if (release >= 43)
		return &newest_form;
	return release >= 35 ? &form_with_huge_pages : &first_form;
}

enum { TOP_PAD_AT = 8, MAPPED_MAX_AFTER = 4, MAPPED_BYTES_MAX_AFTER = 8 };

/* 2.30 and before have other caches. */
static const struct glibc_form form_with_fast_bins = {
	.fast_bins = 16, .top = 96, .bins = 112, .next = 2160, .system_bytes = 2184, .bytes = 2200,
	.cache_bins = 64, .cache_chunk = 0x290, .mapped_header = 16, .aligned_after = 32,
};
static const struct glibc_form form_without_fast_bins = {
	.top = 8, .bins = 24, .next = 2072, .system_bytes = 2096, .bytes = 2112,
	.cache_bins = CACHE_BINS_MOST, .cache_chunk = 0x300, .counts_room = true,
	.mapped_tail = 16, .mapped_header = 8, .mapped_excess = 16, .aligned_after = 16,
};

const struct glibc_form *glibc_layout_form(unsigned int release)
{
	if (release >= 31 && release <= 41)
		return &form_with_fast_bins;
	return release == 43 || release == 44 ? &form_without_fast_bins : NULL;
}

bool glibc_layout_is_libc(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;

	return strcmp(base, "libc.so.6") == 0 || strncmp(base, "libc-2.", 7) == 0;
}

/* ---- release ----------------------------------------------------------------------------- */

/* "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n" */
static unsigned int find_banner(const char *text, size_t size)
{
	static const char library[] = "GNU C Library (", version[] = " version 2.";
	const char *at = memmem(text, size, library, sizeof(library) - 1);
	unsigned int release = 0;
	size_t left;

	if (!at)
		return 0;
	left = size - (size_t)(at - text);
	at = memmem(at, left < 200 ? left : 200, version, sizeof(version) - 1);
	if (!at || at + sizeof(version) + 2 > text + size ||
	    sscanf(at + sizeof(version) - 1, "%2u", &release) != 1)
		return 0;
	return release;
}

unsigned int glibc_layout_release(const struct heap_memory *m)
{
	unsigned int release = 0;

	for (uint32_t i = 0; i < m->space->count && !release; i++) {
		const struct area *a = &m->space->area[i];
		char *text;

		if (!(a->flags & AREA_READ) || a->flags & AREA_WRITE ||
		    !glibc_layout_is_libc(a->name) || a->end - a->start > AREA_MOST)
			continue;
		text = xmalloc(a->end - a->start);
		if (heap_memory_read(m, a->start, text, a->end - a->start))
			release = find_banner(text, a->end - a->start);
		free(text);
	}
	return release;
}

/* ---- the main arena ---------------------------------------------------------------------- */

struct search {
	const struct heap_memory *m;
	struct glibc_layout *l;
	const struct parameter_form *parameters;
	uint64_t heap_start; /* of the mapping "[heap]", 0 none */
	const unsigned char *bytes;
	uint64_t start; /* of BYTES in the process */
	size_t size;
	unsigned int arenas, unused_arenas;
};

static uint64_t word_at(const struct search *s, size_t offset)
{
	uint64_t word;

	memcpy(&word, s->bytes + offset, sizeof(word));
	return word;
}

static uint32_t half_at(const struct search *s, size_t offset)
{
	uint32_t word;

	memcpy(&word, s->bytes + offset, sizeof(word));
	return word;
}

static unsigned int count_empty_bins(const struct search *s, size_t offset)
{
	unsigned int empty = 0;

	for (unsigned int i = 0; i < BINS; i++) {
		const size_t bin = offset + s->l->form->bins + i * 2 * sizeof(uint64_t);
		const uint64_t itself = s->start + bin - HEAD;

		empty += word_at(s, bin) == itself && word_at(s, bin + 8) == itself;
	}
	return empty;
}

/* The ring of all arenas. */
static bool leads_to_itself(const struct search *s, uint64_t arena)
{
	uint64_t at = arena;

	for (unsigned int i = 0; i < ARENAS_MOST; i++) {
		if (!heap_memory_read(s->m, at + s->l->form->next, &at, sizeof(at)))
			return false;
		if (at == arena)
			return true;
	}
	return false;
}

static void look_for_arena(struct search *s, size_t offset)
{
	const uint64_t arena = s->start + offset;

	/* Most places fail at the next arena or at the last bin, which is seldom used. */
	if (word_at(s, offset + s->l->form->next) == 0 ||
	    count_empty_bins(s, offset) < EMPTY_BINS_LEAST || !leads_to_itself(s, arena))
		return;
	s->l->main_arena = arena;
	s->arenas++;
}

/* Before the first call of malloc all of it is zero, but for the ring and the number of threads. */
static void look_for_unused_arena(struct search *s, size_t offset)
{
	const size_t next = s->l->form->next, users = next + 16;

	if (word_at(s, offset + next) != s->start + offset || word_at(s, offset + users) != 1)
		return;
	for (size_t at = 0; at + sizeof(uint64_t) <= s->l->form->bytes; at += sizeof(uint64_t)) {
		if (word_at(s, offset + at) != 0 && at != next && at != users)
			return;
	}
	s->unused_arenas++;
}

/* ---- parameters -------------------------------------------------------------------------- */

static bool is_possible_sum(const struct glibc_form *f, uint64_t blocks, uint64_t bytes)
{
	if (f->mapped_excess)
		return bytes % f->mapped_excess == 0 && bytes / PAGE >= blocks;
	return (blocks == 0) == (bytes == 0);
}

static void look_for_parameters(struct search *s, size_t offset)
{
	const struct parameter_form *f = s->parameters;
	uint64_t brk_start, blocks, bytes;

	if (offset + f->bytes > s->size || word_at(s, offset + TOP_PAD_AT) != TOP_PAD ||
	    half_at(s, offset + f->mapped_most) != MAPPED_MOST)
		return;
	brk_start = word_at(s, offset + f->brk_start);
	blocks = half_at(s, offset + f->mapped);
	bytes = word_at(s, offset + f->mapped_bytes);
	if ((brk_start && brk_start != s->heap_start) ||
	    blocks > half_at(s, offset + f->mapped_most + MAPPED_MAX_AFTER) ||
	    bytes > word_at(s, offset + f->mapped_bytes + MAPPED_BYTES_MAX_AFTER) ||
	    !is_possible_sum(s->l->form, blocks, bytes))
		return;
	s->l->has_parameters = true;
	s->l->brk_start = brk_start;
	s->l->mapped_blocks = blocks;
	s->l->mapped_bytes = bytes;
	s->l->cache_most = f->cache_most ? word_at(s, offset + f->cache_most) : 0;
}

/* ---- both -------------------------------------------------------------------------------- */

/* Zeroed data have no name: they follow those of the file. */
static bool is_data_of_libc(const struct address_space *space, uint32_t i)
{
	const struct area *a = &space->area[i];

	if (!(a->flags & AREA_WRITE) || a->end - a->start > AREA_MOST)
		return false;
	return glibc_layout_is_libc(a->name) ||
	       (!a->name[0] && i > 0 && a[-1].end == a->start && a[-1].flags & AREA_WRITE &&
		glibc_layout_is_libc(a[-1].name));
}

static void search_area(struct search *s, const struct area *a)
{
	unsigned char *bytes = xmalloc(a->end - a->start);

	s->bytes = bytes;
	s->start = a->start;
	s->size = a->end - a->start;
	if (heap_memory_read(s->m, a->start, bytes, s->size)) {
		for (size_t at = 0; at + s->l->form->bytes <= s->size; at += sizeof(uint64_t)) {
			look_for_arena(s, at);
			look_for_unused_arena(s, at);
		}
		for (size_t at = 0; at + TOP_PAD_AT + 8 <= s->size; at += sizeof(uint64_t))
			look_for_parameters(s, at);
	}
	free(bytes);
}

int glibc_layout_find(struct glibc_layout *l, const struct heap_memory *m, unsigned int release,
		      struct mu_error *err)
{
	struct search s = { .m = m, .l = l, .parameters = parameters_of(release) };

	*l = (struct glibc_layout){ .form = glibc_layout_form(release), .mangles = release >= 32 };
	for (uint32_t i = 0; i < m->space->count; i++) {
		if (strcmp(m->space->area[i].name, "[heap]") == 0 && !s.heap_start)
			s.heap_start = m->space->area[i].start;
	}
	for (uint32_t i = 0; i < m->space->count; i++) {
		if (is_data_of_libc(m->space, i))
			search_area(&s, &m->space->area[i]);
	}
	l->is_unused = s.arenas == 0 && s.unused_arenas == 1 && l->has_parameters &&
		       l->brk_start == 0 && l->mapped_blocks == 0;
	if (s.arenas == 1 || l->is_unused)
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    s.arenas ? "its C library has several mallocs, and which is in use is "
				       "not known" :
				       "the data of glibc's malloc were not found where glibc 2.%u "
				       "has them", release);
}
