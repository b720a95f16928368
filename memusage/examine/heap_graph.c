/* heap_graph.c -- The graph of all pointers of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/heap_graph.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { WORD = 8, WINDOW = 1 << 20, LARGE = 4 * WINDOW };

/* ---- memory in windows ------------------------------------------------------------------ */

struct window {
	const struct address_space *space;
	uint64_t start, end; /* what of the process is in `byte` */
	uint64_t *word;	     /* WINDOW bytes */
};

/* Returns the words at ADDRESS, a multiple of 8, that the window has or can get; *count is how
 * many, 0 if nothing can be read there. */
static const uint64_t *words_at(struct window *w, uint64_t address, uint64_t end, size_t *count)
{
	if (address < w->start || address >= w->end) {
		w->start = address;
		w->end = address + address_space_read(w->space, address, w->word, WINDOW);
	}
	if (end > w->end)
		end = w->end;
	*count = end > address ? (end - address) / WORD : 0;
	return w->word + (address - w->start) / WORD;
}

/* ---- blocks ----------------------------------------------------------------------------- */

struct block_scan {
	struct heap_graph *g;
	struct window *window;
	uint32_t block;
};

/* Returns the end of what could be read of [at, end). */
static uint64_t scan_words(const struct block_scan *s, uint64_t at, uint64_t end)
{
	while (at < end) {
		size_t count;
		const uint64_t *word = words_at(s->window, at, end, &count);

		if (count == 0)
			break;
		pointer_graph_scan(&s->g->pointers, s->block, word, count);
		at += count * WORD;
	}
	return at;
}

static void scan_part_of_block(void *data, uint64_t start, uint64_t end)
{
	const struct block_scan *s = data;

	if (scan_words(s, start, end) < end)
		s->g->is_incomplete = true;
}

/* A guard page in a block, as below a stack that a program has allocated for a coroutine, has no
 * pointers, since the program cannot read them, but what is behind it has: blocks that only a
 * coroutine held were called lost. Most of a very large block may never have been touched; reading
 * that is of no use. */
static void scan_block(struct heap_graph *g, struct window *w, uint32_t i)
{
	const struct heap_block *b = &g->pointers.blocks->block[i];
	struct block_scan s = { g, w, i };
	uint64_t at = (b->start + WORD - 1) & -(uint64_t)WORD;
	const uint64_t end = (b->start + b->size) & -(uint64_t)WORD;

	if (b->size < LARGE)
		at = scan_words(&s, at, end);
	address_space_visit_readable(w->space, at, end, scan_part_of_block, &s);
}

static void scan_blocks(struct heap_graph *g, struct window *w)
{
	for (uint32_t i = 0; i < g->pointers.blocks->count; i++)
		scan_block(g, w, i);
	pointer_graph_finish(&g->pointers);
}

/* ---- roots ------------------------------------------------------------------------------ */

struct root_scan {
	struct heap_graph *g;
	struct window *window;
	uint32_t root;
};

static void drop_interior_pointers(struct pointer_graph *p, uint64_t first)
{
	uint64_t kept = first;

	for (uint64_t i = first; i < p->roots; i++) {
		if (p->root[i].offset == 0)
			p->root[kept++] = p->root[i];
	}
	p->roots = kept;
}

static void scan_part_of_root(void *data, uint64_t start, uint64_t end)
{
	struct root_scan *r = data;
	struct pointer_graph *p = &r->g->pointers;
	const uint64_t first = p->roots;
	uint64_t at = (start + WORD - 1) & -(uint64_t)WORD;

	while (at + WORD <= end) {
		size_t count;
		const uint64_t *word = words_at(r->window, at, end & -(uint64_t)WORD, &count);

		/* The file has become shorter: the process could not read it either. */
		if (count == 0)
			break;
		pointer_graph_scan_root(p, r->root, at, word, count);
		at += count * WORD;
	}
	if (r->g->roots.root[r->root].start_pointers_only)
		drop_interior_pointers(p, first);
}

static void scan_roots(struct heap_graph *g, const struct snapshot *s, struct window *w)
{
	for (uint32_t i = 0; i < g->roots.count; i++) {
		const struct root *root = &g->roots.root[i];
		struct root_scan scan = { g, w, i };

		address_space_visit(&s->space, root->area, root->start, root->end,
				    root->own_pages_only, scan_part_of_root, &scan);
	}
	pointer_graph_scan_root(&g->pointers, HEAP_GRAPH_TLS, 0, g->roots.table, g->roots.tables);
}

/* ---- registers -------------------------------------------------------------------------- */

static uint32_t add_register_root(struct heap_graph *g, pid_t thread)
{
	struct roots *r = &g->roots;
	const struct root root = { .kind = ROOT_REGISTERS, .thread = thread };

	r->root = xreallocarray(r->root, r->count + UINT64_C(1), sizeof(*r->root));
	r->room = r->count + 1;
	r->root[r->count] = root;
	return r->count++;
}

/* A pointer's place tells which register it is in. */
static void scan_general(struct heap_graph *g, uint32_t root, const uint64_t *word)
{
	pointer_graph_scan_root(&g->pointers, root, 0, word, TRACEE_REGISTERS);
}

/* The registers of the thread that ends the process are those of exit() and of the recorder: those
 * of its caller stand for them. */
static void scan_exit_registers(struct heap_graph *g, uint32_t root, const struct mu_examined *e)
{
	/* In the order of tracee_pointers(): rbx, rbp, r12 to r15. */
	static const uint8_t place[MU_EXAMINED_REGISTERS] = { 1, 6, 11, 12, 13, 14 };
	uint64_t word[TRACEE_REGISTERS] = { 0 };

	for (unsigned int i = 0; i < MU_EXAMINED_REGISTERS; i++)
		word[place[i]] = e->exit_register[i];
	scan_general(g, root, word);
}

static void scan_registers(struct heap_graph *g, const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->tracee.count; i++) {
		const struct tracee_thread *t = &s->tracee.thread[i];
		const uint32_t root = add_register_root(g, t->tid);
		uint64_t word[TRACEE_REGISTERS];

		if (s->examined.exit_thread == (uint32_t)t->tid) {
			scan_exit_registers(g, root, &s->examined);
			continue;
		}
		tracee_pointers(t, word);
		scan_general(g, root, word);
		/* The function that calls is one of libc, and none keeps vector registers. */
		if (!t->is_in_call)
			pointer_graph_scan_root(&g->pointers, root, sizeof(word), t->extended,
						t->extended_words);
	}
}

/* ---- all together ----------------------------------------------------------------------- */

void heap_graph_build(struct heap_graph *g, const struct snapshot *s)
{
	struct window w = { .space = &s->space, .word = xmalloc(WINDOW) };

	*g = (struct heap_graph){ .is_incomplete = s->is_incomplete };
	pointer_graph_init(&g->pointers, &s->blocks);
	roots_find(&g->roots, s);
	scan_blocks(g, &w);
	scan_roots(g, s, &w);
	scan_registers(g, s);
	free(w.word);
}

void heap_graph_free(struct heap_graph *g)
{
	pointer_graph_free(&g->pointers);
	roots_free(&g->roots);
}
