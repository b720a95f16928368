/* dominators.c -- The dominator tree of a directed graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/dominators.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* ---- numbers and predecessors ----------------------------------------------------------- */

static void number_vertex(struct dominators *d, uint32_t *parent, uint32_t vertex, uint32_t from)
{
	parent[d->count] = from;
	d->number[vertex] = d->count;
	d->vertex[d->count++] = vertex;
}

/* The way back is in PARENT, so a chain of a million blocks needs no stack. */
static void number_vertices(struct dominators *d, const struct flow_graph *g, uint32_t *parent)
{
	uint64_t *next = xmalloc(g->count * sizeof(*next));
	uint32_t at = 0;

	memset(d->number, 0xff, g->count * sizeof(*d->number));
	memcpy(next, g->first, g->count * sizeof(*next));
	number_vertex(d, parent, 0, 0);
	for (;;) {
		if (next[at] < g->first[at + 1]) {
			const uint32_t to = g->to[next[at]++];

			if (d->number[to] != DOMINATORS_NONE)
				continue;
			number_vertex(d, parent, to, d->number[at]);
			at = to;
		} else if (at != 0) {
			at = d->vertex[parent[d->number[at]]];
		} else {
			break;
		}
	}
	free(next);
}

/* Counts first, so that first[n + 1] is where the predecessors of n end; then fills them from the
 * end, which leaves first[n] where they begin. */
static void find_predecessors(struct dominators *d, const struct flow_graph *g)
{
	d->first = xcalloc((size_t)d->count + 1, sizeof(*d->first));
	for (uint32_t n = 0; n < d->count; n++) {
		const uint32_t v = d->vertex[n];

		for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
			d->first[d->number[g->to[i]]]++;
	}
	for (uint32_t n = 1; n <= d->count; n++)
		d->first[n] += d->first[n - 1];
	d->predecessor = xcalloc(d->first[d->count] + 1, sizeof(*d->predecessor));
	for (uint32_t n = d->count; n-- > 0;) {
		const uint32_t v = d->vertex[n];

		for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
			d->predecessor[--d->first[d->number[g->to[i]]]] = n;
	}
}

/* ---- semidominators --------------------------------------------------------------------- */

/* All by number. Vertices from `linked` on are in the forest; `parent` of one leads towards the
 * root of its tree, and paths of it are compressed. */
struct forest {
	uint32_t *parent, *semi, *label;
	uint32_t *path; /* that is being compressed */
	uint32_t linked;
};

/* Returns the vertex with the least semidominator on the path from V up, without the root. */
static uint32_t evaluate(struct forest *f, uint32_t v)
{
	uint32_t length = 0, above;

	if (v < f->linked)
		return v;
	for (; f->parent[v] >= f->linked; v = f->parent[v])
		f->path[length++] = v;
	for (above = v; length > 0; above = v) {
		v = f->path[--length];
		if (f->semi[f->label[above]] < f->semi[f->label[v]])
			f->label[v] = f->label[above];
		f->parent[v] = f->parent[above];
	}
	return f->label[v];
}

static void find_semidominator(struct forest *f, const struct dominators *d, uint32_t w)
{
	for (uint64_t i = d->first[w]; i < d->first[w + 1]; i++) {
		const uint32_t semi = f->semi[evaluate(f, d->predecessor[i])];

		if (semi < f->semi[w])
			f->semi[w] = semi;
	}
}

/* Vertices that have the same semidominator, and wait until their immediate one can be told. */
struct buckets {
	uint32_t *first; /* by semidominator; 0 none: the entry waits for nothing */
	uint32_t *next;
};

static void put_into_bucket(struct buckets *b, uint32_t semi, uint32_t v)
{
	b->next[v] = b->first[semi];
	b->first[semi] = v;
}

static void empty_bucket(struct buckets *b, struct forest *f, struct dominators *d, uint32_t p)
{
	uint32_t v = b->first[p];

	b->first[p] = 0;
	for (; v; v = b->next[v]) {
		const uint32_t u = evaluate(f, v);

		d->immediate[v] = f->semi[u] < f->semi[v] ? u : p;
	}
}

static void find_immediate(struct dominators *d, struct forest *f, struct buckets *b)
{
	for (uint32_t w = d->count; w-- > 1;) {
		const uint32_t parent = f->parent[w];

		find_semidominator(f, d, w);
		put_into_bucket(b, f->semi[w], w);
		f->linked = w;
		empty_bucket(b, f, d, parent);
	}
	for (uint32_t w = 1; w < d->count; w++) {
		if (d->immediate[w] != f->semi[w])
			d->immediate[w] = d->immediate[d->immediate[w]];
	}
}

/* ---- all together ----------------------------------------------------------------------- */

void dominators_find(struct dominators *d, const struct flow_graph *g)
{
	struct forest f = { .parent = xmalloc(g->count * sizeof(*f.parent)) };
	struct buckets b;

	*d = (struct dominators){
		.vertex = xmalloc(g->count * sizeof(*d->vertex)),
		.number = xmalloc(g->count * sizeof(*d->number)),
	};
	number_vertices(d, g, f.parent);
	find_predecessors(d, g);
	d->immediate = xcalloc(d->count, sizeof(*d->immediate));
	f.semi = xmalloc(d->count * sizeof(*f.semi));
	f.label = xmalloc(d->count * sizeof(*f.label));
	f.path = xmalloc(d->count * sizeof(*f.path));
	f.linked = d->count;
	b = (struct buckets){ xcalloc(d->count, sizeof(*b.first)),
			      xcalloc(d->count, sizeof(*b.next)) };
	for (uint32_t n = 0; n < d->count; n++)
		f.semi[n] = f.label[n] = n;
	find_immediate(d, &f, &b);
	free(b.first);
	free(b.next);
	free(f.parent);
	free(f.semi);
	free(f.label);
	free(f.path);
}

void dominators_free(struct dominators *d)
{
	free(d->vertex);
	free(d->number);
	free(d->immediate);
	free(d->first);
	free(d->predecessor);
	*d = (struct dominators){ .count = 0 };
}
