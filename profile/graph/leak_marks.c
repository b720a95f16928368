/* leak_marks.c -- How each block can be reached: the four kinds of Memcheck's leak check.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/leak_marks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* Blocks whose pointers are still to be followed, in the order in which they were found. A block
 * waits at most twice: when it was found possible, and when it was found reachable. */
struct work {
	const struct pointer_graph *g;
	uint8_t *kind;
	uint32_t *waiting;
	uint64_t next, count;
};

/* How many blocks ahead memory is asked for. */
enum { AHEAD_KINDS = 8, AHEAD_POINTERS = 16, AHEAD_PLACES = 24, POINTERS_AHEAD = 8 };

/* ---- reached blocks --------------------------------------------------------------------- */

static void reach_block(struct work *w, uint32_t pointer, bool from_reachable)
{
	const bool is_start = !(pointer & POINTER_INTERIOR);
	const uint8_t kind = from_reachable && is_start ? LEAK_REACHABLE : LEAK_POSSIBLE;
	const uint32_t target = POINTER_TARGET(pointer);

	if (kind >= w->kind[target])
		return;
	w->kind[target] = kind;
	w->waiting[w->count++] = target;
}

/* Blocks at random addresses are each three waits for memory: where its pointers are, they, and
 * the kinds of what they lead to. */
static void ask_for_memory(const struct work *w)
{
	const struct pointer_graph *g = w->g;
	const uint64_t n = w->next;

	if (n + AHEAD_PLACES < w->count)
		__builtin_prefetch(&g->first[w->waiting[n + AHEAD_PLACES]]);
	if (n + AHEAD_POINTERS < w->count)
		__builtin_prefetch(&g->to[g->first[w->waiting[n + AHEAD_POINTERS]]]);
	if (n + AHEAD_KINDS < w->count) {
		const uint32_t from = w->waiting[n + AHEAD_KINDS];
		const uint64_t first = g->first[from];
		uint64_t end = g->first[from + 1];

		end = end - first > POINTERS_AHEAD ? first + POINTERS_AHEAD : end;
		for (uint64_t i = first; i < end; i++)
			__builtin_prefetch(&w->kind[POINTER_TARGET(g->to[i])], 1);
	}
}

static void follow_waiting(struct work *w)
{
	const struct pointer_graph *g = w->g;

	for (; w->next < w->count; w->next++) {
		const uint32_t from = w->waiting[w->next];
		const bool is_reachable = w->kind[from] == LEAK_REACHABLE;

		ask_for_memory(w);
		for (uint64_t i = g->first[from]; i < g->first[from + 1]; i++)
			reach_block(w, g->to[i], is_reachable);
	}
}

static void follow_roots(struct work *w)
{
	memset(w->kind, LEAK_DEFINITE, w->g->blocks->count);
	w->next = w->count = 0;
	for (uint64_t i = 0; i < w->g->roots; i++)
		reach_block(w, w->g->root[i].to, true);
	follow_waiting(w);
	w->next = w->count = 0;
}

/* ---- heuristics ------------------------------------------------------------------------- */

struct explainer {
	leak_explain_fn *explain;
	void *data;
	struct leak_marks *marks;
	bool has_explained;
};

/* The pointer counts as one to the start from now on, if a heuristic explains it. */
static void explain_pointer(struct explainer *e, uint32_t *pointer, uint64_t offset)
{
	const uint32_t target = POINTER_TARGET(*pointer);
	uint8_t heuristic;

	if (!(*pointer & POINTER_INTERIOR) || e->marks->kind[target] != LEAK_POSSIBLE)
		return;
	heuristic = e->explain(e->data, target, offset);
	if (!heuristic)
		return;
	*pointer = target;
	e->marks->heuristic[target] = heuristic;
	e->has_explained = true;
}

static bool explain_interior_pointers(struct pointer_graph *g, struct explainer *e)
{
	e->has_explained = false;
	for (uint64_t i = 0; i < g->roots; i++)
		explain_pointer(e, &g->root[i].to, g->root[i].offset);
	for (uint64_t i = 0; i < g->interiors; i++)
		explain_pointer(e, &g->to[g->interior[i].pointer], g->interior[i].offset);
	return e->has_explained;
}

/* A block that a reachable start pointer leads to needs no explanation. */
static void drop_needless_heuristics(const struct pointer_graph *g, struct leak_marks *m)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < g->roots; i++) {
		if (g->root[i].offset == 0)
			m->heuristic[POINTER_TARGET(g->root[i].to)] = 0;
	}
	for (uint32_t from = 0; from < g->blocks->count; from++) {
		for (uint64_t i = g->first[from]; i < g->first[from + 1]; i++) {
			bool is_interior = next < g->interiors && g->interior[next].pointer == i;

			next += is_interior;
			if (!is_interior && m->kind[from] == LEAK_REACHABLE)
				m->heuristic[POINTER_TARGET(g->to[i])] = 0;
		}
	}
}

/* ---- lost blocks ------------------------------------------------------------------------ */

/* All lost blocks that FIRST leads to are lost indirectly, other leaders and their groups too. */
static void gather_group(struct work *w, struct leak_marks *m, uint32_t first)
{
	const struct pointer_graph *g = w->g;

	m->leader[first] = m->group[first] = first;
	w->waiting[w->count++] = first;
	while (w->count > 0) {
		const uint32_t from = w->waiting[--w->count];

		for (uint64_t i = g->first[from]; i < g->first[from + 1]; i++) {
			const uint32_t to = POINTER_TARGET(g->to[i]);

			if (to == first || m->kind[to] != LEAK_DEFINITE)
				continue;
			m->kind[to] = LEAK_INDIRECT;
			m->leader[to] = m->group[to] = first;
			w->waiting[w->count++] = to;
		}
	}
}

/* A block that was no leader after all leads its group to the one that it belongs to. */
static void find_last_leaders(struct leak_marks *m, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t last = i;

		if (m->kind[i] != LEAK_INDIRECT)
			continue;
		while (m->leader[last] != last)
			last = m->leader[last];
		for (uint32_t k = i, next; k != last; k = next) {
			next = m->leader[k];
			m->leader[k] = last;
		}
	}
}

static void group_lost_blocks(struct work *w, struct leak_marks *m)
{
	const uint32_t count = w->g->blocks->count;

	for (uint32_t i = 0; i < count; i++)
		m->group[i] = i;
	for (uint32_t i = 0; i < count; i++) {
		if (m->kind[i] == LEAK_DEFINITE)
			gather_group(w, m, i);
	}
	find_last_leaders(m, count);
}

/* ---- all together ----------------------------------------------------------------------- */

void leak_marks_find(struct leak_marks *m, struct pointer_graph *g, leak_explain_fn *explain,
		     void *data)
{
	const size_t count = g->blocks->count;
	struct work w = { .g = g, .waiting = xcalloc(2 * count + 1, sizeof(*w.waiting)) };
	struct explainer e = { .explain = explain, .data = data, .marks = m };

	*m = (struct leak_marks){
		.kind = xcalloc(count + 1, sizeof(*m->kind)),
		.heuristic = xcalloc(count + 1, sizeof(*m->heuristic)),
		.leader = xcalloc(count + 1, sizeof(*m->leader)),
		.group = xcalloc(count + 1, sizeof(*m->group)),
	};
	w.kind = m->kind;
	follow_roots(&w);
	/* A block that was only possible behind an explained pointer may be reachable now, and
	 * needs no explanation. */
	if (explain && explain_interior_pointers(g, &e)) {
		follow_roots(&w);
		drop_needless_heuristics(g, m);
	}
	group_lost_blocks(&w, m);
	free(w.waiting);
}

void leak_marks_free(struct leak_marks *m)
{
	free(m->kind);
	free(m->heuristic);
	free(m->leader);
	free(m->group);
	*m = (struct leak_marks){ .kind = NULL };
}
