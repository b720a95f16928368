/* pointer_search.c -- Examines a process: what points into a range of its memory.
 *
 * All memory that can hold pointers is searched, and not the graph of a leak check, since the range
 * need not be in a block. The order is that of Memcheck: memory outside of blocks, blocks,
 * registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/pointer_search.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/asked_checks.h"
#include "memusage/examine/module_symbols.h"
#include "memusage/examine/roots.h"
#include "memusage/examine/snapshot_memory.h"
#include "profile/base/array.h"
#include "profile/graph/block_index.h"

enum { WORD = 8, WINDOW = 1 << 20 };

struct search {
	const struct snapshot *s;
	const struct pointer_search_options *o;
	struct block_index index;
	struct module_symbols symbols;
	struct mu_leak_pointer *found;
	uint32_t count, room;
	char *texts; /* of all, each ended by a zero byte */
	uint32_t text_bytes, text_room;
	uint64_t *window;
};

/* ---- descriptions ------------------------------------------------------------------------ */

static uint64_t add_text(struct search *p, const char *text)
{
	const uint64_t size = strlen(text) + 1, at = p->text_bytes;

	array_reserve(&p->texts, &p->text_room, p->text_bytes + size, 1);
	memcpy(p->texts + at, text, size);
	p->text_bytes += (uint32_t)size;
	return at;
}

/* The first thread of the process has number 1, as with Valgrind; then they count by their IDs. */
static uint32_t number_of_thread(const struct snapshot *s, pid_t tid)
{
	uint32_t number = 1;

	for (uint32_t i = 0; i < s->tracee.count && tid != s->tracee.pid; i++) {
		const pid_t other = s->tracee.thread[i].tid;

		number += other == s->tracee.pid || other < tid;
	}
	return tid == s->tracee.pid ? 1 : number;
}

/* The C library's data of a thread other than the first begins there, above its stack. */
static uint64_t base_of_thread(const struct snapshot *s, pid_t tid)
{
	for (uint32_t i = 0; i < s->tracee.count && tid != s->tracee.pid; i++) {
		if (s->tracee.thread[i].tid == tid)
			return tracee_base(&s->tracee.thread[i]);
	}
	return UINT64_MAX;
}

static void describe_area(struct search *p, const struct area *a, struct mu_leak_pointer *f)
{
	const char *object = module_symbols_object(&p->symbols, f->at);

	f->access = (a->flags & AREA_READ ? 4u : 0u) | (a->flags & AREA_WRITE ? 2u : 0u) |
		    (a->flags & AREA_CODE ? 1u : 0u);
	if (object && a->flags & AREA_WRITE) {
		f->place = a->flags & AREA_FILE ? MU_POINTER_DATA : MU_POINTER_BSS;
		f->text = add_text(p, object);
	} else if (a->flags & AREA_FILE) {
		f->place = MU_POINTER_FILE;
		f->text = add_text(p, a->name);
	} else {
		f->place = MU_POINTER_ANONYMOUS;
	}
}

/* A pointer that is outside of blocks. */
static void describe_root(struct search *p, const struct root *root, struct mu_leak_pointer *f)
{
	struct module_symbol symbol;

	if (root->kind == ROOT_STACK && f->at < base_of_thread(p->s, root->thread)) {
		f->place = MU_POINTER_STACK;
		f->thread = number_of_thread(p->s, root->thread);
	} else if (module_symbols_find_variable(&p->symbols, f->at, &symbol)) {
		f->place = MU_POINTER_SYMBOL;
		f->text = add_text(p, symbol.name);
		f->start = symbol.start;
		f->size = symbol.size;
		free(symbol.name);
	} else {
		describe_area(p, root->area, f);
	}
}

/* The heuristic that would let the block be called reachable by this pointer. */
static void explain_target(struct search *p, struct mu_leak_pointer *f)
{
	const struct leak_memory memory = snapshot_memory(p->s);
	uint64_t offset = 0;
	const uint32_t target = block_index_find(&p->index, f->target, &offset);

	if (target == BLOCK_NONE || offset == 0)
		return;
	f->heuristic = (uint16_t)leak_heuristics_explain(&memory, LEAK_HEURISTICS_ALL,
							 &p->s->blocks.block[target], offset);
	f->block = p->s->blocks.block[target].start;
}

/* ---- the search -------------------------------------------------------------------------- */

static bool is_wanted(const struct search *p, uint64_t word)
{
	return p->o->size == 1 ? word == p->o->start : word - p->o->start < p->o->size;
}

/* Returns the new entry. */
static struct mu_leak_pointer *add_pointer(struct search *p, uint64_t at, uint64_t word)
{
	struct mu_leak_pointer *f;

	array_reserve(&p->found, &p->room, p->count + UINT64_C(1), sizeof(*p->found));
	f = &p->found[p->count++];
	*f = (struct mu_leak_pointer){ .at = at, .target = word };
	if (word != p->o->start)
		explain_target(p, f);
	return f;
}

/* The place of the words that are searched: a root, or else a block. */
struct searched {
	struct search *search;
	const struct root *root;
	const struct heap_block *block;
};

static void search_words(const struct searched *r, uint64_t at, size_t count)
{
	struct search *p = r->search;

	for (size_t i = 0; i < count; i++) {
		const uint64_t word = p->window[i];
		struct mu_leak_pointer *f;

		if (!is_wanted(p, word) ||
		    (r->root && r->root->start_pointers_only && word != p->o->start))
			continue;
		f = add_pointer(p, at + i * WORD, word);
		if (r->root) {
			describe_root(p, r->root, f);
			continue;
		}
		f->place = MU_POINTER_BLOCK;
		f->start = r->block->start;
		f->size = r->block->size;
		f->site = r->block->site;
	}
}

/* Returns the end of what could be read. */
static uint64_t search_until_end(const struct searched *r, uint64_t start, uint64_t end)
{
	struct search *p = r->search;
	uint64_t at = (start + WORD - 1) & -(uint64_t)WORD;

	end &= -(uint64_t)WORD;
	while (at < end) {
		const uint64_t size = end - at < WINDOW ? end - at : WINDOW;
		const size_t count = address_space_read(&p->s->space, at, p->window, size) / WORD;

		if (count == 0)
			break;
		search_words(r, at, count);
		at += count * WORD;
	}
	return at;
}

static void search_range(void *data, uint64_t start, uint64_t end)
{
	search_until_end(data, start, end);
}

static void search_roots(struct search *p)
{
	const struct snapshot *s = p->s;
	struct roots roots;

	roots_find(&roots, s);
	for (uint32_t i = 0; i < roots.count; i++) {
		const struct root *root = &roots.root[i];
		struct searched r = { .search = p, .root = root };

		address_space_visit(&s->space, root->area, root->start, root->end,
				    root->own_pages_only, search_range, &r);
	}
	roots_free(&roots);
}

static void search_blocks(struct search *p)
{
	for (uint32_t i = 0; i < p->s->blocks.count; i++) {
		const struct heap_block *b = &p->s->blocks.block[i];
		struct searched r = { .search = p, .block = b };

		const uint64_t end = b->start + b->size;

		/* The search goes on behind a page that cannot be read. */
		address_space_visit_readable(&p->s->space, search_until_end(&r, b->start, end), end,
					     search_range, &r);
	}
}

static void search_registers(struct search *p)
{
	static const char *const names[TRACEE_REGISTERS] = {
		"RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "R8",
		"R9", "R10", "R11", "R12", "R13", "R14", "R15",
	};

	for (uint32_t i = 0; i < p->s->tracee.count; i++) {
		const struct tracee_thread *t = &p->s->tracee.thread[i];
		uint64_t word[TRACEE_REGISTERS];

		tracee_pointers(t, word);
		for (int k = 0; k < TRACEE_REGISTERS; k++) {
			struct mu_leak_pointer *f;

			if (!is_wanted(p, word[k]))
				continue;
			f = add_pointer(p, 0, word[k]);
			f->place = MU_POINTER_REGISTER;
			f->thread = number_of_thread(p->s, t->tid);
			f->text = add_text(p, names[k]);
		}
	}
}

/* ---- the result -------------------------------------------------------------------------- */

static struct mu_leak_check *pack_result(const struct search *p)
{
	const uint64_t entries = p->count * sizeof(*p->found);
	const uint64_t texts = sizeof(struct mu_leak_list) + entries;
	const uint64_t bytes = (texts + p->text_bytes + 8) & -UINT64_C(8);
	struct mu_leak_check *c = xcalloc(1, sizeof(*c) + bytes);
	struct mu_leak_list *list = (void *)c->loss;
	struct mu_leak_pointer *to = (void *)(list + 1);

	*c = (struct mu_leak_check){ .mono_ns = p->s->mono_ns, .pause_ns = p->s->pause_ns,
				     .flags = MU_LEAK_CHECK_LIST };
	*list = (struct mu_leak_list){ .bytes = bytes, .kind = MU_LEAK_LIST_POINTERS,
				       .start = p->o->start, .size = p->o->size,
				       .count = p->count };
	for (uint32_t i = 0; i < p->count; i++) {
		to[i] = p->found[i];
		to[i].text += texts;
	}
	if (p->text_bytes > 0)
		memcpy((char *)list + texts, p->texts, p->text_bytes);
	return c;
}

static void *find_pointers(struct snapshot *s, const void *options, struct mu_error *err)
{
	struct search p = { .s = s, .o = options, .window = xmalloc(WINDOW) };
	struct mu_leak_check *result;

	(void)err;
	block_index_init(&p.index, &s->blocks);
	module_symbols_open(&p.symbols, s);
	search_roots(&p);
	search_blocks(&p);
	search_registers(&p);
	result = pack_result(&p);
	module_symbols_close(&p.symbols);
	block_index_free(&p.index);
	free(p.found);
	free(p.texts);
	free(p.window);
	return result;
}

static uint64_t count_bytes(const void *result)
{
	return asked_checks_bytes(result);
}

const struct examination pointer_search = {
	.file_name = "memusage-pointers",
	.unfinished = "the search did not come to its end",
	.least = sizeof(struct mu_leak_check),
	.most = UINT64_C(1) << 30,
	.examine = find_pointers,
	.count_bytes = count_bytes,
};
