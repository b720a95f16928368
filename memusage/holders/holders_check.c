/* holders_check.c -- Examines a process: what holds its live blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/holders/holders_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/examine/heap_graph.h"
#include "memusage/holders/block_types.h"
#include "memusage/holders/holder_roots.h"
#include "profile/graph/end_pointers.h"
#include "profile/graph/holder_tree.h"
#include "profile/graph/site_links.h"

#define RESULT_MOST (UINT64_C(1) << 28)
enum { LINKS_MOST = 16384 };

/* ---- what was found --------------------------------------------------------------------- */

struct found {
	struct holder_roots roots;
	struct block_types types;
	struct root_sets sets;
	struct holder_tree retained, via;
	struct site_links links;
	bool is_incomplete;
};

static void find_trees(struct found *f, const struct snapshot *s, const struct holding *h)
{
	struct dominators d;
	struct block_tree tree;

	dominators_find(&d, &h->graph);
	root_sets_find(&f->sets, h, &d);
	tree = (struct block_tree){ d.count, d.vertex, d.immediate };
	holder_tree_fold(&f->retained, &tree, h, &s->blocks, f->sets.of,
			 MU_HOLDER_NODES_MOST);
	dominators_free(&d);
	holding_paths(&tree, h);
	holder_tree_fold(&f->via, &tree, h, &s->blocks, NULL, MU_HOLDER_NODES_MOST);
	free(tree.vertex);
	free(tree.parent);
}

/* The graph of pointers is not needed any more when that of what holds what is there. */
static void find_holding(struct found *f, const struct snapshot *s, struct holding *h)
{
	struct holding_roots roots;
	struct heap_graph g;

	heap_graph_build(&g, s);
	f->is_incomplete = g.is_incomplete;
	holder_roots_find(&f->roots, s, &g);
	roots = (struct holding_roots){ f->roots.of_pointer, f->roots.rank, f->roots.count,
					f->roots.nest };
	end_pointers_drop(&g.pointers, &roots, f->roots.of_pointer);
	holding_build(h, &g.pointers, &roots);
	heap_graph_free(&g);
}

static void free_found(struct found *f)
{
	holder_roots_free(&f->roots);
	block_types_free(&f->types);
	root_sets_free(&f->sets);
	holder_tree_free(&f->retained);
	holder_tree_free(&f->via);
	site_links_free(&f->links);
}

/* ---- the roots that are left ------------------------------------------------------------ */

/* Most roots hold nothing but what others hold, and most sets are too small for a node. */
struct kept {
	uint32_t *root, *set; /* new numbers + 1; 0: left out */
	uint32_t roots, sets;
};

static void keep_root(struct kept *k, uint32_t root)
{
	if (!k->root[root])
		k->root[root] = ++k->roots;
}

static void keep_of_tree(struct kept *k, const struct found *f, const struct holder_tree *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct mu_holder_node *n = &t->node[i];

		if (n->kind == MU_HOLDER_ROOT)
			keep_root(k, n->what);
		if (n->kind != MU_HOLDER_SET || k->set[n->what])
			continue;
		k->set[n->what] = ++k->sets;
		for (uint32_t r = 0; f->sets.set[n->what].count <= MU_HOLDER_SET_MOST &&
				     r < f->sets.set[n->what].count; r++)
			keep_root(k, f->sets.set[n->what].root[r]);
	}
}

static void find_kept(struct kept *k, const struct found *f)
{
	*k = (struct kept){ .root = xcalloc((size_t)f->roots.count + 1, sizeof(*k->root)),
			    .set = xcalloc((size_t)f->sets.count + 1, sizeof(*k->set)) };
	keep_of_tree(k, f, &f->retained);
	keep_of_tree(k, f, &f->via);
	for (uint32_t i = 0; i < f->links.count; i++) {
		if (f->links.link[i].kind == MU_HOLDER_ROOT)
			keep_root(k, f->links.link[i].from);
	}
}

/* ---- the result ------------------------------------------------------------------------- */

struct packing {
	const struct found *f;
	const struct kept *k;
	uint8_t *at;	/* where the next table goes */
	char *text;
	uint64_t used;	/* bytes of TEXT */
	uint32_t *place; /* by number of a string: its offset there */
};

static uint32_t place_of_text(struct packing *p, uint32_t number)
{
	const char *text = strings_get(&p->f->roots.texts, number);

	if (number && !p->place[number]) {
		p->place[number] = (uint32_t)p->used;
		memcpy(p->text + p->used, text, strlen(text) + 1);
		p->used += strlen(text) + 1;
	}
	return number ? p->place[number] : 0;
}

static void pack_roots(struct packing *p)
{
	struct mu_holder_root *to = (struct mu_holder_root *)p->at;

	for (uint32_t i = 0; i <= p->f->roots.count; i++) {
		struct mu_holder_root root = { .kind = MU_HOLDER_LOST };

		if (i < p->f->roots.count)
			root = p->f->roots.root[i];
		if (!p->k->root[i])
			continue;
		root.name = place_of_text(p, root.name);
		root.object = place_of_text(p, root.object);
		to[p->k->root[i] - 1] = root;
	}
	p->at = (uint8_t *)(to + p->k->roots);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void pack_sets(struct packing *p)
{
	struct mu_holder_set *to = (struct mu_holder_set *)p->at;

	for (uint32_t i = 0; i < p->f->sets.count; i++) {
		struct mu_holder_set set = p->f->sets.set[i];
		const uint32_t count = set.count <= MU_HOLDER_SET_MOST ? set.count : 0;

		if (!p->k->set[i])
			continue;
		for (uint32_t r = 0; r < count; r++)
			set.root[r] = p->k->root[set.root[r]] - 1;
		qsort(set.root, count, sizeof(*set.root), compare_numbers);
		to[p->k->set[i] - 1] = set;
	}
	p->at = (uint8_t *)(to + p->k->sets);
}

static void pack_tree(struct packing *p, const struct holder_tree *t)
{
	struct mu_holder_node *to = (struct mu_holder_node *)p->at;

	for (uint32_t i = 0; i < t->count; i++) {
		to[i] = t->node[i];
		if (to[i].kind == MU_HOLDER_ROOT)
			to[i].what = p->k->root[to[i].what] - 1;
		else if (to[i].kind == MU_HOLDER_SET)
			to[i].what = p->k->set[to[i].what] - 1;
	}
	p->at = (uint8_t *)(to + t->count);
}

static void pack_types(struct packing *p)
{
	struct mu_holder_type *to = (struct mu_holder_type *)p->at;

	for (uint32_t i = 0; i < p->f->types.count; i++)
		to[i] = (struct mu_holder_type){ p->f->types.type[i].site,
						 place_of_text(p, p->f->types.type[i].name) };
	p->at = (uint8_t *)(to + p->f->types.count);
}

static void pack_links(struct packing *p)
{
	struct mu_holder_link *to = (struct mu_holder_link *)p->at;

	for (uint32_t i = 0; i < p->f->links.count; i++) {
		to[i] = p->f->links.link[i];
		if (to[i].kind == MU_HOLDER_ROOT)
			to[i].from = p->k->root[to[i].from] - 1;
	}
	p->at = (uint8_t *)(to + p->f->links.count);
}

static uint64_t count_tables(const struct mu_holders *h)
{
	return h->roots * (uint64_t)sizeof(struct mu_holder_root) +
	       (h->retained + (uint64_t)h->via) * sizeof(struct mu_holder_node) +
	       h->types * (uint64_t)sizeof(struct mu_holder_type) +
	       h->sets * (uint64_t)sizeof(struct mu_holder_set) +
	       h->links * (uint64_t)sizeof(struct mu_holder_link);
}

/* Bytes of all texts; few of them are left out. */
static uint64_t count_texts(const struct strings *texts)
{
	uint64_t bytes = 1;

	for (uint32_t i = 1; i <= texts->count; i++)
		bytes += strlen(strings_get(texts, i)) + 1;
	return bytes;
}

static struct mu_holders *pack_result(const struct found *f, struct mu_holders head)
{
	struct packing p = { .f = f };
	struct mu_holders *result;
	struct kept kept;
	uint64_t tables;

	find_kept(&kept, f);
	p.k = &kept;
	head.roots = kept.roots;
	head.sets = kept.sets;
	head.retained = f->retained.count;
	head.via = f->via.count;
	head.types = f->types.count;
	head.links = f->links.count;
	tables = count_tables(&head);
	result = xcalloc(1, sizeof(*result) + tables + count_texts(&f->roots.texts));
	p.place = xcalloc((size_t)f->roots.texts.count + 1, sizeof(*p.place));
	p.at = (uint8_t *)(result + 1);
	p.text = (char *)p.at + tables;
	p.used = 1;
	pack_roots(&p);
	pack_tree(&p, &f->retained);
	pack_tree(&p, &f->via);
	pack_types(&p);
	pack_sets(&p);
	pack_links(&p);
	head.text = (uint32_t)p.used;
	head.bytes = sizeof(*result) + tables + p.used;
	*result = head;
	free(p.place);
	free(kept.root);
	free(kept.set);
	return result;
}

/* ---- the check -------------------------------------------------------------------------- */

/* Numbers of sites come from the process, and what is made of them must stay small. */
static uint32_t bound_sites(struct block_set *blocks, const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_SITES);
	const uint32_t sites = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX - 1;

	for (uint32_t i = 0; i < blocks->count; i++) {
		if (blocks->block[i].site > sites)
			blocks->block[i].site = sites;
	}
	return sites;
}

static void *find_holders(struct snapshot *s, const void *options, struct mu_error *err)
{
	const struct holders_check_options *o = options;
	const uint32_t sites = bound_sites(&s->blocks, &s->image);
	struct found f = { .is_incomplete = false };
	struct mu_holders head = { .mono_ns = s->mono_ns, .flags = o->flags };
	struct mu_holders *result;
	struct holding h;

	(void)err;
	find_holding(&f, s, &h);
	block_types_find(&f.types, s, sites, &f.roots.texts);
	find_trees(&f, s, &h);
	site_links_find(&f.links, &h, &s->blocks, LINKS_MOST);
	holding_free(&h);
	head.flags |= f.is_incomplete ? MU_HOLDERS_CUT : 0u;
	head.flags |= f.links.is_cut ? MU_HOLDERS_LINKS_CUT : 0u;
	/* One that is no copy is stopped until now. */
	head.pause_ns = s->is_stopped ? clock_now(CLOCK_MONOTONIC) - s->mono_ns : s->pause_ns;
	result = pack_result(&f, head);
	free_found(&f);
	return result;
}

static uint64_t count_bytes(const void *result)
{
	const struct mu_holders *h = result;

	return h->bytes;
}

const struct examination holders_check = {
	.file_name = "memusage-holders",
	.unfinished = "its examination did not come to its end",
	.least = sizeof(struct mu_holders),
	.most = RESULT_MOST,
	.examine = find_holders,
	.count_bytes = count_bytes,
};
