/* page_roots.c -- What holds the heap, for a page: the member "holders".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_roots.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/holders/root_text.h"

enum { TREE_PART = 4 }; /* of the page's nodes may be in one of the two trees */

void page_roots_init(struct page_roots *r, const struct export *e)
{
	*r = (struct page_roots){ .moments = { .count = 0 } };
	holder_moments_read(&r->moments, e->image);
	if (r->moments.count == 0)
		return;
	holder_names_init(&r->names, r->moments.at, r->moments.count, e->filter->profile);
	holder_groups_find(&r->groups, r->moments.at, r->moments.count, &r->names);
}

void page_roots_free(struct page_roots *r)
{
	holder_groups_free(&r->groups);
	holder_names_free(&r->names);
	holder_moments_free(&r->moments);
}

/* ---- what holds ------------------------------------------------------------------------- */

/* A moment that is being written. */
struct moment_writer {
	struct page_json *j;
	struct root_words words;
	const struct page_cut *cut;
	size_t name_bytes;
	uint32_t sites, most; /* most: nodes of a tree */
};

static void put_and_free(const struct moment_writer *w, const char *key, char *text)
{
	page_json_text_cut(w->j, key, text, w->name_bytes);
	free(text);
}

static uint32_t first_of_group(const struct moment_writer *w, uint32_t root)
{
	return holder_groups_of_root(w->words.groups, w->words.moment, root)->first;
}

/* A root that another one stands for needs no words. */
static void put_root(const struct moment_writer *w, uint32_t root)
{
	char *key;

	page_json_open(w->j, NULL, '{');
	page_json_uint(w->j, "kind", w->words.h->root[root].kind);
	if (first_of_group(w, root) == root) {
		put_and_free(w, "text", root_text(&w->words, root));
		key = root_text_of_group(&w->words, root);
		if (key)
			put_and_free(w, "key", key);
	}
	page_json_close(w->j, '}');
}

static void put_roots(const struct moment_writer *w)
{
	page_json_open(w->j, "roots", '[');
	for (uint32_t i = 0; i < w->words.h->head->roots; i++)
		put_root(w, i);
	page_json_close(w->j, ']');
	page_json_open(w->j, "sets", '[');
	for (uint32_t i = 0; i < w->words.h->head->sets; i++) {
		const struct mu_holder_set *set = &w->words.h->set[i];

		page_json_open(w->j, NULL, '{');
		put_and_free(w, "text", root_text_of_set(&w->words, i));
		page_json_open(w->j, "roots", '[');
		for (uint32_t k = 0; set->count <= MU_HOLDER_SET_MOST && k < set->count; k++)
			page_json_uint(w->j, NULL, first_of_group(w, set->root[k]));
		page_json_close(w->j, ']');
		page_json_close(w->j, '}');
	}
	page_json_close(w->j, ']');
}

/* ---- trees ------------------------------------------------------------------------------ */

/* A tree of which only the largest nodes are left. */
struct cut_tree {
	struct mu_holder_node *node; /* those that are left, then one REST for others below each */
	uint32_t count;
};

static int compare_sums(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Returns the sum that a node must have to be one of the MOST largest. */
static uint64_t least_of_largest(const uint64_t *sum, uint32_t count, uint32_t most)
{
	uint64_t *sorted, least;

	if (count <= most)
		return 0;
	sorted = xmalloc(count * sizeof(*sorted));
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = sum[i];
	qsort(sorted, count, sizeof(*sorted), compare_sums);
	least = sorted[most] + 1;
	free(sorted);
	return least;
}

/* Adds a node that is left out to the REST of what is left above it. */
static void add_to_rest(struct cut_tree *t, uint32_t parent, uint32_t *rest,
			const struct mu_holder_node *n)
{
	if (rest[parent] == 0) {
		rest[parent] = t->count;
		t->node[t->count++] = (struct mu_holder_node){ .parent = parent,
							       .kind = MU_HOLDER_REST };
	}
	t->node[rest[parent]].bytes += n->bytes;
	t->node[rest[parent]].blocks += n->blocks;
}

/* Each sum is at least that of what is below it, so the parent of what is left is left, too. */
static void cut_tree(struct cut_tree *t, const struct mu_holder_node *node, uint32_t count,
		     uint32_t most)
{
	uint64_t *bytes = xcalloc((size_t)count + 1, sizeof(*bytes));
	uint64_t *blocks = xcalloc((size_t)count + 1, sizeof(*blocks));
	uint32_t *place = xcalloc((size_t)count + 1, sizeof(*place));
	uint32_t *rest = xcalloc((size_t)count + 1, sizeof(*rest));
	uint64_t least;

	holders_sum(node, count, bytes, blocks);
	least = least_of_largest(bytes, count, most);
	*t = (struct cut_tree){ .node = xcalloc(2 * ((size_t)count + 1), sizeof(*t->node)),
				.count = 1 };
	t->node[0] = node[0];
	for (uint32_t i = 1; i < count; i++) {
		if (bytes[i] < least)
			continue;
		place[i] = t->count;
		t->node[t->count] = node[i];
		t->node[t->count++].parent = place[node[i].parent];
	}
	for (uint32_t i = 1; i < count; i++) {
		uint32_t at = i;

		if (place[i])
			continue;
		while (at && !place[at])
			at = node[at].parent;
		add_to_rest(t, place[at], rest, &node[i]);
	}
	free(bytes);
	free(blocks);
	free(place);
	free(rest);
}

/* Root, set, or node of the page. */
static uint32_t subject_of_node(const struct moment_writer *w, const struct mu_holder_node *n)
{
	if (n->kind == MU_HOLDER_SITE)
		return n->what < w->sites ? w->cut->of_site[n->what] : 0;
	return n->kind == MU_HOLDER_ROOT || n->kind == MU_HOLDER_SET ? n->what : 0;
}

static uint32_t type_of_node(const struct moment_writer *w, const struct mu_holder_node *n)
{
	const struct holder_names *names = w->words.names;

	return n->kind == MU_HOLDER_SITE && n->what < names->sites ? names->type[n->what] : 0;
}

static void put_columns(const struct moment_writer *w, const struct cut_tree *t)
{
	page_json_open(w->j, "parent", '[');
	for (uint32_t i = 1; i < t->count; i++)
		page_json_uint(w->j, NULL, i - t->node[i].parent);
	page_json_close(w->j, ']');
	page_json_open(w->j, "kind", '[');
	for (uint32_t i = 0; i < t->count; i++)
		page_json_uint(w->j, NULL, t->node[i].kind);
	page_json_close(w->j, ']');
	page_json_open(w->j, "what", '[');
	for (uint32_t i = 0; i < t->count; i++)
		page_json_uint(w->j, NULL, subject_of_node(w, &t->node[i]));
	page_json_close(w->j, ']');
	page_json_open(w->j, "type", '[');
	for (uint32_t i = 0; i < t->count; i++)
		page_json_uint(w->j, NULL, type_of_node(w, &t->node[i]));
	page_json_close(w->j, ']');
	page_json_open(w->j, "bytes", '[');
	for (uint32_t i = 0; i < t->count; i++)
		page_json_uint(w->j, NULL, t->node[i].bytes);
	page_json_close(w->j, ']');
	page_json_open(w->j, "blocks", '[');
	for (uint32_t i = 0; i < t->count; i++)
		page_json_uint(w->j, NULL, t->node[i].blocks);
	page_json_close(w->j, ']');
}

static void put_tree(const struct moment_writer *w, const char *key,
		     const struct mu_holder_node *node, uint32_t count)
{
	struct mu_holder_node *folded = xcalloc((size_t)count + 1, sizeof(*folded));
	struct cut_tree t;

	cut_tree(&t, folded, holder_groups_fold(w->words.groups, w->words.moment, node, count,
						folded), w->most);
	page_json_open(w->j, key, '{');
	put_columns(w, &t);
	page_json_close(w->j, '}');
	free(t.node);
	free(folded);
}

/* ---- moments ---------------------------------------------------------------------------- */

static void put_moment(const struct moment_writer *w, uint64_t start_ns)
{
	const struct holders *h = w->words.h;
	const struct mu_holders *head = h->head;

	page_json_open(w->j, NULL, '{');
	page_json_uint(w->j, "t", head->mono_ns > start_ns ? head->mono_ns - start_ns : 0);
	page_json_uint(w->j, "pause", head->pause_ns);
	page_json_bool(w->j, "at_end", head->flags & MU_HOLDERS_AT_END);
	page_json_bool(w->j, "is_incomplete", head->flags & MU_HOLDERS_CUT);
	put_roots(w);
	put_tree(w, "retained", h->retained, head->retained);
	put_tree(w, "shortest", h->via, head->via);
	page_json_close(w->j, '}');
}

static void put_types(struct page_json *j, const struct page_roots *r, size_t name_bytes)
{
	const uint32_t roots = r->names.first[r->moments.count];

	page_json_uint(j, "first_type", roots);
	page_json_open(j, "types", '[');
	for (uint32_t i = roots; i < r->names.count; i++)
		page_json_text_cut(j, NULL, r->names.text[i], name_bytes);
	page_json_close(j, ']');
}

void page_roots_put(struct page_json *j, const struct page_roots *r, const struct export *e,
		    const struct page_cut *c, const struct page_budget *b)
{
	struct moment_writer w = {
		.j = j, .cut = c, .name_bytes = b->name_bytes,
		.sites = e->filter->profile->sites.count, .most = b->nodes / TREE_PART,
	};

	if (r->moments.count == 0)
		return;
	page_json_open(j, "holders", '{');
	put_types(j, r, b->name_bytes);
	page_json_open(j, "moments", '[');
	for (uint32_t i = 0; i < r->moments.count; i++) {
		if (i > 0 && i + 1 < r->moments.count)
			continue;
		w.words = (struct root_words){ &r->moments.at[i], &r->names, i, e->pid,
					       &r->groups };
		put_moment(&w, e->image->head.process.start_mono_ns);
	}
	page_json_close(j, ']');
	page_json_close(j, '}');
}
