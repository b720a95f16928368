/* glibc_heap.c -- The blocks of glibc's malloc in a stopped process, read from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/glibc_heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/allocator/glibc_lists.h"
#include "memusage/common/clock.h"
#include "profile/base/array.h"

enum {
	ARENAS_MOST = 65536,
	PARTS_MOST = 1 << 20,	/* of an arena */
	LOOK_CHUNKS = 64,	/* between two looks at the clock */
	LOOK_PAGES = 16,
	PAGE = 4096
};

enum {
	CHUNK_HEADER = 16,	/* from a chunk to its block */
	CHUNK_LEAST = 32,
	FENCE = 16,		/* chunk at the end of a part: no block */
	ALIGNMENT = 16,
	PREVIOUS_USED = 1,
	IS_MAPPED = 2,
	FLAGS = 7
};

/* struct heap_info, at the start of each part of an arena. */
struct part_info {
	uint64_t arena, previous, size, writable;
};

struct walker {
	struct glibc_heap *h;
	const struct heap_memory *m;
	const struct heap_walk *walk;
	struct glibc_layout layout;
	struct glibc_lists lists;
	struct heap_window window;
	uint64_t listed_met;
	bool are_lists_cut; /* not all free blocks are in them */
	uint64_t info_bytes; /* of struct heap_info here, 0 not known yet */
};

__attribute__((format(printf, 3, 4)))
static enum heap_result give_up(struct walker *w, enum heap_result result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(w->h->why, sizeof(w->h->why), format, arguments);
	va_end(arguments);
	return result;
}

static void count_block(struct heap_count *c, uint64_t bytes)
{
	c->blocks++;
	c->bytes += bytes;
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* A range of chunks that follow each other. */
struct chunks {
	struct heap_arena *arena;
	uint64_t at, end;
	uint64_t top;	 /* the last chunk, which nothing has been taken from; 0: none here */
	uint32_t listed; /* number of the next listed block */
};

static const struct listed_block *next_listed(struct walker *w, struct chunks *c, uint64_t block)
{
	const struct glibc_lists *l = &w->lists;

	if (c->listed == l->count || l->block[c->listed].address != block)
		return NULL;
	w->listed_met++;
	return &l->block[c->listed++];
}

static void note_chunk(struct walker *w, struct chunks *c, uint64_t size, bool is_used)
{
	struct heap_chunk chunk = { .state = CHUNK_USED, .address = c->at + CHUNK_HEADER,
				    .usable = size - 8 };
	const struct listed_block *listed = next_listed(w, c, chunk.address);

	if (!is_used) {
		chunk.state = CHUNK_FREE;
		count_block(&c->arena->free, chunk.usable);
	} else if (!listed) {
		count_block(&c->arena->used, chunk.usable);
	} else if (listed->is_own) {
		return;
	} else {
		chunk.state = CHUNK_CACHED;
		count_block(listed->is_fast ? &c->arena->fast : &c->arena->cached, chunk.usable);
	}
	if (!w->walk->visit)
		return;
	if (chunk.state == CHUNK_USED && !heap_window_word(&w->window, chunk.address, &chunk.word))
		chunk.word = 0;
	w->walk->visit(w->walk->data, &chunk);
}

/* Chunks that are far apart take 5 us each: all memory between is read. */
static bool is_too_late(const struct walker *w)
{
	return w->walk->end_ns && clock_now(CLOCK_PROCESS_CPUTIME_ID) > w->walk->end_ns;
}

/* The flag of a chunk tells whether the one before is in use. */
static enum heap_result walk_chunks(struct walker *w, struct chunks *c)
{
	uint64_t word, next;

	c->listed = glibc_lists_first(&w->lists, c->at);
	while (c->at < c->end) {
		if (!heap_window_word(&w->window, c->at + 8, &word))
			return give_up(w, HEAP_BUSY, "its heap ends at %#llx too early",
				       (unsigned long long)c->at);
		const uint64_t size = word & ~(uint64_t)FLAGS;

		if (c->at == c->top)
			return HEAP_OK;
		if (size == 0 && c->top == 0)
			return HEAP_OK;
		if (size == FENCE) {
			c->at += FENCE;
			continue;
		}
		if (size < CHUNK_LEAST || size % ALIGNMENT || word & IS_MAPPED ||
		    size > c->end - c->at ||
		    !heap_window_word(&w->window, c->at + size + 8, &next))
			return give_up(w, HEAP_BUSY, "the block at %#llx has no possible size",
				       (unsigned long long)c->at + CHUNK_HEADER);
		if (w->walk->chunks_most && w->h->chunks == w->walk->chunks_most)
			return give_up(w, HEAP_TOO_LARGE, "it has more than %llu blocks",
				       (unsigned long long)w->walk->chunks_most);
		if (w->h->chunks % LOOK_CHUNKS == 0 && is_too_late(w))
			return give_up(w, HEAP_TOO_LARGE, "its blocks lie far apart");
		w->h->chunks++;
		/* The rest at the end of a part is as small as a fence. */
		if ((next & ~(uint64_t)FLAGS) != 0 || c->top)
			note_chunk(w, c, size, next & PREVIOUS_USED);
		c->at += size;
	}
	return c->top ? give_up(w, HEAP_BUSY, "the end of its heap is not where malloc has it") :
			HEAP_OK;
}

/* ---- the main arena ---------------------------------------------------------------------- */

static enum heap_result walk_main_arena(struct walker *w, struct heap_arena *a, uint64_t top)
{
	const struct area *area = address_space_find(w->m->space, top);
	uint64_t start = w->layout.brk_start, word;
	struct chunks c = { .arena = a, .top = top };

	if (a->system_bytes == 0)
		return HEAP_OK;
	for (uint32_t i = 0; i < w->m->space->count && !start; i++) {
		if (strcmp(w->m->space->area[i].name, "[heap]") == 0)
			start = w->m->space->area[i].start;
	}
	if (!area || !start || top < start ||
	    !heap_memory_read(w->m, top + 8, &word, sizeof(word)))
		return give_up(w, HEAP_REFUSED, "its heap does not grow by brk");
	/* More than malloc has itself: the program calls sbrk, or brk had no room. */
	if (top + (word & ~(uint64_t)FLAGS) - start != a->system_bytes)
		return give_up(w, HEAP_REFUSED,
			       "its heap is in several parts: something else calls brk, too");
	c.at = (start + ALIGNMENT - 1) & -(uint64_t)ALIGNMENT;
	c.end = area->end;
	return walk_chunks(w, &c);
}

/* ---- other arenas ------------------------------------------------------------------------ */

static bool read_part(struct walker *w, uint64_t part, uint64_t arena, struct part_info *info)
{
	return heap_memory_read(w->m, part, info, sizeof(*info)) && info->arena == arena &&
	       info->size <= ARENA_PART_MOST && info->size >= PAGE && info->size % PAGE == 0;
}

static enum heap_result walk_part(struct walker *w, struct heap_arena *a, uint64_t part,
				  const struct part_info *info, uint64_t top)
{
	const bool is_first = part == (a->address & -ARENA_PART_MOST);
	uint64_t start = is_first ? a->address + w->layout.form->bytes : part + w->info_bytes;
	struct chunks c = { .arena = a, .end = part + info->size };

	/* Blocks are at multiples of 16. */
	c.at = (start + ALIGNMENT - 1) & -(uint64_t)ALIGNMENT;
	if ((top & -ARENA_PART_MOST) == part)
		c.top = top;
	return walk_chunks(w, &c);
}

static enum heap_result walk_arena(struct walker *w, struct heap_arena *a, uint64_t top)
{
	uint64_t part = top & -ARENA_PART_MOST, bytes = 0;
	enum heap_result result = HEAP_OK;
	struct part_info info;

	w->info_bytes = a->address % ARENA_PART_MOST;
	if (w->info_bytes != 32 && w->info_bytes != 48)
		return give_up(w, HEAP_REFUSED,
			       "an arena is not where glibc puts it (huge pages?)");
	for (unsigned int i = 0; part && i < PARTS_MOST && result == HEAP_OK; i++) {
		if (!read_part(w, part, a->address, &info))
			return give_up(w, HEAP_BUSY, "an arena is being made or removed");
		bytes += info.size;
		result = walk_part(w, a, part, &info, top);
		part = info.previous;
	}
	if (result == HEAP_OK && bytes != a->system_bytes)
		return give_up(w, HEAP_BUSY, "an arena is being enlarged");
	return result;
}

/* ---- mapped blocks ----------------------------------------------------------------------- */

struct mapped_search {
	struct walker *w;
	const struct area *area;
	uint64_t upto;	/* the end of the last block */
	uint64_t bytes;	/* of the mappings of all that were found */
	bool is_cut;	/* not all memory was looked at */
};

/* malloc knows the number of blocks and the bytes of their mappings: all are found if both are
 * met. Since 2.43 its sum grows too large over time, and is met but for less than a page. */
static bool is_complete(const struct mapped_search *s)
{
	const struct glibc_layout *l = &s->w->layout;
	const uint64_t excess = l->mapped_bytes - s->bytes;

	return s->w->h->mapped.blocks == l->mapped_blocks &&
	       (excess < (l->form->mapped_excess ? PAGE : 1) || l->mapped_blocks == 0);
}

/* Where all memory was searched, the number alone may do. */
static bool is_exact(const struct mapped_search *s)
{
	const struct glibc_layout *l = &s->w->layout;

	return is_complete(s) ||
	       (l->form->mapped_excess && !s->is_cut && s->bytes < l->mapped_bytes &&
		s->w->h->mapped.blocks == l->mapped_blocks);
}

/* An aligned block has a second header, which counts the bytes before it. After an mremap that one
 * alone has the present size. Returns its chunk and the bytes of the mapping in *SIZE, or PAGE. */
static uint64_t find_aligned(const struct mapped_search *s, uint64_t page, uint64_t *size)
{
	const struct glibc_form *f = s->w->layout.form;
	const uint64_t first = page + f->aligned_after;
	const uint64_t most = s->area->end - page;
	uint64_t head[2];

	for (uint64_t alignment = 32; alignment < most; alignment *= 2) {
		const uint64_t chunk = ((first + alignment - 1) & -alignment) - CHUNK_HEADER;
		uint64_t whole;

		if (chunk <= page || chunk - page >= most ||
		    !heap_memory_read(s->w->m, chunk, head, sizeof(head)))
			continue;
		whole = head[1] - IS_MAPPED + head[0] + f->mapped_tail;
		if (head[0] != chunk - page || head[1] % ALIGNMENT != IS_MAPPED ||
		    whole < head[0] || whole % PAGE || whole > most)
			continue;
		*size = whole;
		return chunk;
	}
	return page;
}

static void note_mapped(struct mapped_search *s, uint64_t at, uint64_t start, uint64_t size)
{
	const struct walker *w = s->w;
	struct heap_chunk chunk = { .state = CHUNK_USED, .address = at + CHUNK_HEADER,
				    .usable = start + size - at - w->layout.form->mapped_tail -
					      w->layout.form->mapped_header };

	s->upto = start + size;
	s->bytes += size;
	count_block(&w->h->mapped, chunk.usable);
	w->h->chunks++;
	if (!w->walk->visit)
		return;
	if (!heap_memory_read(w->m, chunk.address, &chunk.word, sizeof(chunk.word)))
		chunk.word = 0;
	w->walk->visit(w->walk->data, &chunk);
}

/* Nothing leads to a mapped block but its header at the start of a page. */
static void look_at_page(struct mapped_search *s, uint64_t page)
{
	const struct glibc_form *f = s->w->layout.form;
	uint64_t head[2], size, chunk;

	if (page < s->upto || !heap_memory_read(s->w->m, page, head, sizeof(head)))
		return;
	size = head[1] - IS_MAPPED + f->mapped_tail;
	if (head[0] != 0 || head[1] == 0 || size == 0 || size % PAGE != 0)
		return;
	chunk = find_aligned(s, page, &size);
	if (size <= s->area->end - page)
		note_mapped(s, chunk, page, size);
}

static void look_at_pages(void *data, uint64_t start, uint64_t end)
{
	struct mapped_search *s = data;

	for (uint64_t page = start & -(uint64_t)PAGE; page < end; page += PAGE) {
		if (page < s->upto) {
			page = s->upto - PAGE;
		} else if (page / PAGE % LOOK_PAGES == 0 && is_too_late(s->w)) {
			s->is_cut = true;
			return;
		} else if (!is_complete(s)) {
			look_at_page(s, page);
		}
	}
}

static bool is_in_arena(const struct walker *w, const struct area *a)
{
	uint64_t word;

	if (strcmp(a->name, "[heap]") == 0)
		return true;
	if (a->start % ARENA_PART_MOST || !heap_memory_read(w->m, a->start, &word, sizeof(word)))
		return false;
	for (uint32_t i = 1; i < w->h->arenas; i++) {
		if (w->h->arena[i].address == word)
			return true;
	}
	return false;
}

static void count_mapped(struct walker *w, bool is_searched)
{
	const struct glibc_form *f = w->layout.form;
	const struct address_space *space = w->m->space;
	struct mapped_search s = { .w = w, .is_cut = !is_searched };

	for (uint32_t i = 0; i < space->count && is_searched; i++) {
		const struct area *a = &space->area[i];

		if (is_complete(&s))
			break;
		if (!heap_memory_is_data(w->m, a->start) || a->name[0] || is_in_arena(w, a))
			continue;
		s.area = a;
		address_space_visit(space, a, a->start, a->end, false, look_at_pages, &s);
	}
	w->h->is_mapped_exact = is_exact(&s);
	if (w->h->is_mapped_exact)
		return;
	w->h->mapped.blocks = w->layout.mapped_blocks;
	w->h->mapped.bytes = w->layout.mapped_bytes - w->layout.mapped_blocks * (f->mapped_tail +
										 f->mapped_header);
}

/* ---- all --------------------------------------------------------------------------------- */

/* Reads what each arena says of itself, and its fast bins unless they are too long. */
static enum heap_result read_arena(struct walker *w, uint64_t address)
{
	struct glibc_heap *h = w->h;
	uint64_t top, system_bytes, word = 0;
	uint32_t lock;

	if (!heap_memory_read(w->m, address + ARENA_LOCK, &lock, sizeof(lock)) ||
	    !heap_memory_read(w->m, address + w->layout.form->top, &top, sizeof(top)))
		return give_up(w, HEAP_BUSY, "an arena is being made or removed");
	if (lock)
		return give_up(w, HEAP_BUSY, "a thread is in the middle of malloc");
	array_reserve(&h->arena, &h->arena_room, h->arenas + UINT64_C(1), sizeof(*h->arena));
	if (!heap_memory_read(w->m, address + w->layout.form->system_bytes, &system_bytes,
			      sizeof(system_bytes)))
		return give_up(w, HEAP_BUSY, "an arena is being made or removed");
	h->arena[h->arenas] = (struct heap_arena){ .address = address,
						   .system_bytes = system_bytes };
	/* One that was never used has a top within itself. */
	if (system_bytes && heap_memory_read(w->m, top + 8, &word, 8))
		h->arena[h->arenas].top_bytes = word & ~(uint64_t)FLAGS;
	h->arenas++;
	if (w->are_lists_cut)
		return HEAP_OK;
	return glibc_lists_add_fast(&w->lists, w->m, &w->layout, address);
}

static enum heap_result read_arenas(struct walker *w)
{
	enum heap_result result = HEAP_OK;
	uint64_t at = w->layout.main_arena, in_use = 0;

	do {
		if (w->h->arenas == ARENAS_MOST)
			return give_up(w, HEAP_REFUSED, "it has too many arenas");
		result = read_arena(w, at);
		w->are_lists_cut |= result == HEAP_TOO_LARGE;
		if (result != HEAP_OK && result != HEAP_TOO_LARGE)
			return result;
		in_use += w->h->arena[w->h->arenas - 1].system_bytes;
		if (!heap_memory_read(w->m, at + w->layout.form->next, &at, sizeof(at)))
			return give_up(w, HEAP_BUSY, "an arena is being made or removed");
	} while (at != w->layout.main_arena);
	if (w->are_lists_cut)
		return give_up(w, HEAP_TOO_LARGE, "its lists of free blocks are too long");
	result = glibc_lists_add_caches(&w->lists, w->m, &w->layout, in_use > 0);
	glibc_lists_sort(&w->lists);
	return result;
}

static enum heap_result walk_arenas(struct walker *w)
{
	struct glibc_heap *h = w->h;

	for (uint32_t i = 0; i < h->arenas; i++) {
		struct heap_arena *a = &h->arena[i];
		enum heap_result result;
		uint64_t top;

		if (!heap_memory_read(w->m, a->address + w->layout.form->top, &top, sizeof(top)))
			return give_up(w, HEAP_BUSY, "an arena is being made or removed");
		result = i == 0 ? walk_main_arena(w, a, top) : walk_arena(w, a, top);
		if (result != HEAP_OK)
			return result;
		h->used.blocks += a->used.blocks;
		h->used.bytes += a->used.bytes;
	}
	if (w->listed_met != w->lists.count)
		return give_up(w, HEAP_BUSY, "a list of free blocks leads out of the heap");
	return HEAP_OK;
}

enum heap_result glibc_heap_walk(struct glibc_heap *h, const struct heap_memory *m,
				 const struct heap_walk *walk)
{
	struct walker w = { .h = h, .m = m, .walk = walk };
	enum heap_result result;
	struct mu_error err;

	*h = (struct glibc_heap){ .arenas = 0 };
	w.lists.why = h->why;
	w.lists.end_ns = walk->end_ns;
	if (walk->release == 0)
		return give_up(&w, HEAP_REFUSED, "the release of its glibc is not known");
	if (!glibc_layout_form(walk->release))
		return give_up(&w, HEAP_REFUSED, "how glibc 2.%u keeps its blocks is not known "
			       "(2.31 to 2.41, 2.43 and 2.44 are)", walk->release);
	if (glibc_layout_find(&w.layout, m, walk->release, &err) < 0)
		return give_up(&w, HEAP_REFUSED, "%s", err.text);
	if (!w.layout.has_parameters)
		return give_up(&w, HEAP_REFUSED, "the limits of its malloc are not the usual ones "
			       "(mallopt, or GLIBC_TUNABLES)");
	h->mapped_header = w.layout.form->mapped_header;
	if (w.layout.is_unused)
		return HEAP_OK;
	heap_window_open(&w.window, m);
	result = read_arenas(&w);
	h->caches = w.lists.caches;
	if (result == HEAP_OK)
		result = walk_arenas(&w);
	if (result == HEAP_OK || result == HEAP_TOO_LARGE)
		count_mapped(&w, result == HEAP_OK);
	h->used.blocks += h->mapped.blocks;
	h->used.bytes += h->mapped.bytes;
	heap_window_close(&w.window);
	glibc_lists_free(&w.lists);
	return result;
}

void glibc_heap_free(struct glibc_heap *h)
{
	free(h->arena);
	h->arena = NULL;
	h->arenas = h->arena_room = 0;
}
