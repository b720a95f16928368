/* holder_tree.c -- A tree of blocks folded by site: what holds how much, on one page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/holder_tree.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

/* ---- shortest paths --------------------------------------------------------------------- */

void holding_paths(struct block_tree *t, const struct holding *h)
{
	const struct flow_graph *g = &h->graph;
	uint8_t *is_seen = xcalloc(g->count, sizeof(*is_seen));

	*t = (struct block_tree){ .count = 1,
				  .vertex = xcalloc(g->count, sizeof(*t->vertex)),
				  .parent = xcalloc(g->count, sizeof(*t->parent)) };
	is_seen[0] = 1;
	for (uint32_t n = 0; n < t->count; n++) {
		const uint32_t v = t->vertex[n];

		for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
			const uint32_t to = g->to[i];

			if (is_seen[to])
				continue;
			is_seen[to] = 1;
			t->parent[t->count] = n;
			t->vertex[t->count++] = to;
		}
	}
	free(is_seen);
}

/* ---- children of nodes ------------------------------------------------------------------ */

/* Finds the node for what is below a node, by both: a hash table with open addressing. */
struct child_slot {
	uint64_t key; /* 0: unused */
	uint32_t node;
};

struct children {
	struct child_slot *slot;
	uint64_t mask, count;
};

static struct child_slot *find_slot(const struct children *c, uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15);

	for (at ^= at >> 32;; at++) {
		struct child_slot *s = &c->slot[at & c->mask];

		if (s->key == key || s->key == 0)
			return s;
	}
}

static void grow_children(struct children *c)
{
	struct children larger = { .mask = c->slot ? 2 * c->mask + 1 : 1023, .count = c->count };

	larger.slot = xcalloc(larger.mask + 1, sizeof(*larger.slot));
	for (uint64_t i = 0; c->slot && i <= c->mask; i++) {
		if (c->slot[i].key)
			*find_slot(&larger, c->slot[i].key) = c->slot[i];
	}
	free(c->slot);
	*c = larger;
}

/* ---- folding ---------------------------------------------------------------------------- */

struct folding {
	struct holder_tree *t;
	struct children children;
	const struct holding *h;
	const struct block_set *set;
	const uint32_t *of;
};

static uint32_t append_node(struct holder_tree *t, uint32_t parent, enum mu_holder_node_kind kind,
			    uint32_t what)
{
	array_reserve(&t->node, &t->room, t->count + UINT64_C(1), sizeof(*t->node));
	t->node[t->count] = (struct mu_holder_node){ .parent = parent, .kind = kind, .what = what };
	return t->count++;
}

/* Returns the node of a site at PARENT or above it, or a new one below it. */
static uint32_t find_or_append(struct folding *f, uint32_t parent, enum mu_holder_node_kind kind,
			       uint32_t what)
{
	for (uint32_t n = parent; n; n = f->t->node[n].parent) {
		if (f->t->node[n].kind == (uint32_t)kind && f->t->node[n].what == what)
			return n;
	}
	return append_node(f->t, parent, kind, what);
}

static uint32_t child_of(struct folding *f, uint32_t parent, enum mu_holder_node_kind kind,
			 uint32_t what)
{
	/* A node has children of one kind only, but for node 0: sets are told from roots there. */
	const uint64_t key = ((uint64_t)parent << 32 | what) + 1;
	struct child_slot *s;

	if (2 * f->children.count >= f->children.mask)
		grow_children(&f->children);
	s = find_slot(&f->children, key);
	if (s->key == 0) {
		*s = (struct child_slot){ key, find_or_append(f, parent, kind, what) };
		f->children.count++;
	}
	return s->node;
}

static void add_block(struct folding *f, uint32_t node, uint32_t block)
{
	f->t->node[node].bytes += f->set->block[block].size;
	f->t->node[node].blocks++;
}

static uint32_t fold_vertex(struct folding *f, const struct block_tree *b, uint32_t n,
			    const uint32_t *node)
{
	const uint32_t v = b->vertex[n];
	uint32_t parent = node[b->parent[n]], block, own;

	if (v <= f->h->roots)
		return append_node(f->t, 0, MU_HOLDER_ROOT, v - HOLDING_ROOT(0));
	if (b->parent[n] == 0)
		parent = child_of(f, 0, MU_HOLDER_SET, f->of[n]);
	block = v - HOLDING_BLOCK(f->h, 0);
	own = child_of(f, parent, MU_HOLDER_SITE, f->set->block[block].site);
	add_block(f, own, block);
	return own;
}

/* ---- small nodes ------------------------------------------------------------------------ */

static int compare_descending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Returns the bytes of a node with all below it from which one is kept. */
static uint64_t find_least(const uint64_t *bytes, uint32_t count, uint32_t most)
{
	uint64_t *sorted, least;

	if (count <= most)
		return 0;
	sorted = xmalloc(count * sizeof(*sorted));
	memcpy(sorted, bytes, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_descending);
	least = sorted[most] + 1;
	free(sorted);
	return least;
}

/* Returns the node of what is left out below PARENT. */
static uint32_t rest_of(struct holder_tree *t, uint32_t *rest, uint32_t parent)
{
	if (!rest[parent])
		rest[parent] = append_node(t, parent, MU_HOLDER_REST, 0);
	return rest[parent];
}

struct sums {
	uint64_t *bytes, *blocks; /* of nodes, with all below them */
};

static struct sums add_up_below(const struct holder_tree *t)
{
	struct sums s = { .bytes = xcalloc(t->count, sizeof(*s.bytes)),
			  .blocks = xcalloc(t->count, sizeof(*s.blocks)) };

	for (uint32_t i = t->count; i-- > 0;) {
		const struct mu_holder_node *n = &t->node[i];

		s.bytes[i] += n->bytes;
		s.blocks[i] += n->blocks;
		if (i > 0) {
			s.bytes[n->parent] += s.bytes[i];
			s.blocks[n->parent] += s.blocks[i];
		}
	}
	return s;
}

/* Copies what is kept to KEPT; `place` of a node that is not is that of its parent. */
static void copy_large(struct holder_tree *kept, const struct holder_tree *t, const struct sums *s,
		       uint64_t least, uint32_t *place)
{
	append_node(kept, 0, MU_HOLDER_ALL, 0);
	for (uint32_t i = 1; i < t->count; i++) {
		const struct mu_holder_node *n = &t->node[i];

		place[i] = place[n->parent];
		if (s->bytes[i] < least || s->blocks[i] == 0)
			continue;
		place[i] = append_node(kept, place[i], n->kind, n->what);
		kept->node[place[i]].bytes = n->bytes;
		kept->node[place[i]].blocks = n->blocks;
	}
}

static void keep_large(struct holder_tree *t, uint32_t most)
{
	struct holder_tree kept = { .count = 0 };
	const struct sums s = add_up_below(t);
	const uint64_t least = find_least(s.bytes, t->count, most);
	uint32_t *place = xcalloc(t->count, sizeof(*place));
	uint32_t *rest = xcalloc(t->count, sizeof(*rest));

	copy_large(&kept, t, &s, least, place);
	for (uint32_t i = 1; i < t->count; i++) {
		const struct mu_holder_node *n = &t->node[i];
		uint32_t to;

		if (s.bytes[i] >= least || n->blocks == 0)
			continue;
		to = rest_of(&kept, rest, place[i]);
		kept.node[to].bytes += n->bytes;
		kept.node[to].blocks += n->blocks;
	}
	free(place);
	free(rest);
	free(s.bytes);
	free(s.blocks);
	holder_tree_free(t);
	*t = kept;
}

/* ---- all together ----------------------------------------------------------------------- */

void holder_tree_fold(struct holder_tree *t, const struct block_tree *blocks,
		      const struct holding *h, const struct block_set *set, const uint32_t *of,
		      uint32_t most)
{
	struct folding f = { .t = t, .h = h, .set = set, .of = of };
	uint32_t *node = xcalloc(blocks->count, sizeof(*node));

	*t = (struct holder_tree){ .count = 0 };
	append_node(t, 0, MU_HOLDER_ALL, 0);
	for (uint32_t n = 1; n < blocks->count; n++)
		node[n] = fold_vertex(&f, blocks, n, node);
	free(node);
	free(f.children.slot);
	keep_large(t, most);
}

void holder_tree_free(struct holder_tree *t)
{
	free(t->node);
	*t = (struct holder_tree){ .count = 0 };
}
