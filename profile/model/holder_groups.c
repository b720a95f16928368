/* holder_groups.c -- Threads that hold blocks by the same function or variable, as one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/holder_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { THREADS_LEAST = 4 }; /* of a group: fewer have a line each */

/* ---- roots that are alike --------------------------------------------------------------- */

/* A root that may be in a group. */
struct candidate {
	uint32_t moment, root;
	const struct mu_holder_root *is;
	const char *name, *object;
	const struct holder_line *line;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* A function without a name is known by its code. */
static int compare_kinds(const struct candidate *a, const struct candidate *b)
{
	int order = compare_numbers(a->is->kind, b->is->kind);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order && a->is->kind == MU_HOLDER_STACK && !*a->name)
		order = compare_numbers(a->is->address, b->is->address);
	return order;
}

static int compare_candidates(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	int order = compare_kinds(a, b);

	if (!order)
		order = compare_numbers(a->moment, b->moment);
	if (!order)
		order = compare_numbers(a->is->thread, b->is->thread);
	return order ? order : compare_numbers(a->root, b->root);
}

/* Threads that have ended have no number. */
static uint32_t list_candidates(struct candidate *list, const struct holders *h, uint32_t count,
				const struct holder_names *n)
{
	uint32_t listed = 0;

	for (uint32_t m = 0; m < count; m++) {
		for (uint32_t i = 0; i < h[m].head->roots; i++) {
			const struct mu_holder_root *root = &h[m].root[i];

			if (!root->thread ||
			    (root->kind != MU_HOLDER_STACK && root->kind != MU_HOLDER_TLS))
				continue;
			list[listed++] = (struct candidate){
				m, i, root, holder_names_root(n, m, i),
				holders_text(&h[m], root->object), holder_names_line(n, m, i),
			};
		}
	}
	qsort(list, listed, sizeof(*list), compare_candidates);
	return listed;
}

/* Returns how many candidates at LIST, of COUNT, are of the same moment as the first. */
static uint32_t count_of_moment(const struct candidate *list, uint32_t count)
{
	uint32_t n = 1;

	while (n < count && list[n].moment == list->moment)
		n++;
	return n;
}

static uint32_t count_threads(const struct candidate *list, uint32_t count)
{
	uint32_t threads = 1;

	for (uint32_t i = 1; i < count; i++)
		threads += list[i].is->thread != list[i - 1].is->thread;
	return threads;
}

static bool has_many_threads(const struct candidate *list, uint32_t count)
{
	for (uint32_t i = 0, n; i < count; i += n) {
		n = count_of_moment(&list[i], count - i);
		if (count_threads(&list[i], n) >= THREADS_LEAST)
			return true;
	}
	return false;
}

static bool is_same_line(const struct holder_line *a, const struct holder_line *b)
{
	return a->line == b->line && !a->file == !b->file &&
	       (!a->file || strcmp(a->file, b->file) == 0);
}

/* Makes one group of candidates of one moment; each root retains GROUP.most bytes so far. */
static void join_roots(struct holder_groups *g, const struct candidate *list, uint32_t count,
		       uint32_t number)
{
	struct holder_group *group = &g->group[g->first_root[list->moment]];
	struct holder_group *all = &group[list->root];

	for (uint32_t i = 0; i < count; i++) {
		struct holder_group *one = &group[list[i].root];

		one->number = number;
		one->first = list->root;
		all->has_lines |= !is_same_line(list[i].line, list->line);
		if (one->least < all->least)
			all->least = one->least;
		if (one->most > all->most)
			all->most = one->most;
	}
	all->threads = count_threads(list, count);
}

static void join_alike(struct holder_groups *g, const struct candidate *list, uint32_t count)
{
	uint32_t number = 0;

	for (uint32_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && compare_kinds(&list[i], &list[i + n]) == 0;)
			n++;
		if (!has_many_threads(&list[i], n))
			continue;
		number++;
		for (uint32_t k = i, same; k < i + n; k += same) {
			same = count_of_moment(&list[k], i + n - k);
			join_roots(g, &list[k], same, number);
		}
	}
}

/* Begins with each root for itself, which retains what is in its node. */
static void begin_roots(struct holder_group *group, const struct holders *h)
{
	const uint32_t count = h->head->retained;
	uint64_t *bytes = xcalloc((size_t)count + 1, sizeof(*bytes));
	uint64_t *blocks = xcalloc((size_t)count + 1, sizeof(*blocks));

	for (uint32_t i = 0; i < h->head->roots; i++)
		group[i] = (struct holder_group){ .first = i, .threads = 1 };
	holders_sum(h->retained, count, bytes, blocks);
	for (uint32_t i = 1; i < count; i++) {
		if (h->retained[i].kind == MU_HOLDER_ROOT)
			group[h->retained[i].what].most = group[h->retained[i].what].least =
				bytes[i];
	}
	free(bytes);
	free(blocks);
}

/* ---- sets that are alike ---------------------------------------------------------------- */

/* A set with the first roots of groups in place of its roots, each once. */
struct folded_set {
	uint32_t set, count;
	uint32_t root[MU_HOLDER_SET_MOST];
};

static int compare_folded(const void *x, const void *y)
{
	const struct folded_set *a = x, *b = y;
	int order = compare_numbers(a->count, b->count);

	for (uint32_t i = 0; !order && i < a->count; i++)
		order = compare_numbers(a->root[i], b->root[i]);
	return order ? order : compare_numbers(a->set, b->set);
}

/* Keeps roots in ascending order. */
static void add_folded_root(struct folded_set *s, uint32_t root)
{
	uint32_t at = 0;

	while (at < s->count && s->root[at] < root)
		at++;
	if (at < s->count && s->root[at] == root)
		return;
	memmove(&s->root[at + 1], &s->root[at], (s->count - at) * sizeof(*s->root));
	s->root[at] = root;
	s->count++;
}

/* A set with more roots than it names stays as it is. */
static uint32_t list_sets(struct folded_set *list, const struct holder_groups *g, uint32_t moment,
			  const struct holders *h)
{
	uint32_t listed = 0;

	for (uint32_t i = 0; i < h->head->sets; i++) {
		const struct mu_holder_set *set = &h->set[i];
		struct folded_set *to = &list[listed];

		if (set->count > MU_HOLDER_SET_MOST)
			continue;
		*to = (struct folded_set){ .set = i };
		for (uint32_t k = 0; k < set->count; k++)
			add_folded_root(to, holder_groups_of_root(g, moment, set->root[k])->first);
		listed++;
	}
	qsort(list, listed, sizeof(*list), compare_folded);
	return listed;
}

static bool is_same_folded(const struct folded_set *a, const struct folded_set *b)
{
	return a->count == b->count && memcmp(a->root, b->root, a->count * sizeof(*a->root)) == 0;
}

static void join_sets(struct holder_groups *g, uint32_t moment, const struct holders *h)
{
	struct holder_set_group *group = &g->set[g->first_set[moment]];
	struct folded_set *list = xcalloc((size_t)h->head->sets + 1, sizeof(*list));
	uint32_t count, first = 0;

	for (uint32_t i = 0; i < h->head->sets; i++)
		group[i] = (struct holder_set_group){ .first = i, .sets = 1 };
	count = list_sets(list, g, moment, h);
	for (uint32_t i = 0; i < count; i++) {
		struct holder_set_group *to = &group[list[i].set];

		if (list[i].count == 1)
			*to = (struct holder_set_group){ .first = list[i].set, .sets = 1,
							 .is_inner = true,
							 .root = list[i].root[0] };
		if (!is_same_folded(&list[i], &list[first]))
			first = i;
		if (first == i)
			continue;
		to->first = list[first].set;
		group[to->first].sets++;
	}
	free(list);
}

/* ---- all together ----------------------------------------------------------------------- */

void holder_groups_find(struct holder_groups *g, const struct holders *h, uint32_t count,
			const struct holder_names *n)
{
	size_t roots = 0, sets = 0;
	struct candidate *list;

	*g = (struct holder_groups){ .first_root = xcalloc((size_t)count + 1, sizeof(uint32_t)),
				     .first_set = xcalloc((size_t)count + 1, sizeof(uint32_t)) };
	for (uint32_t i = 0; i < count; i++) {
		g->first_root[i] = (uint32_t)roots;
		g->first_set[i] = (uint32_t)sets;
		roots += h[i].head->roots;
		sets += h[i].head->sets;
	}
	g->group = xcalloc(roots + 1, sizeof(*g->group));
	g->set = xcalloc(sets + 1, sizeof(*g->set));
	for (uint32_t i = 0; i < count; i++)
		begin_roots(&g->group[g->first_root[i]], &h[i]);
	list = xcalloc(roots + 1, sizeof(*list));
	join_alike(g, list, list_candidates(list, h, count, n));
	free(list);
	for (uint32_t i = 0; i < count; i++)
		join_sets(g, i, &h[i]);
}

const struct holder_group *holder_groups_of_root(const struct holder_groups *g, uint32_t moment,
						 uint32_t root)
{
	return &g->group[g->first_root[moment] + root];
}

const struct holder_set_group *holder_groups_of_set(const struct holder_groups *g, uint32_t moment,
						    uint32_t set)
{
	return &g->set[g->first_set[moment] + set];
}

void holder_groups_free(struct holder_groups *g)
{
	free(g->group);
	free(g->set);
	free(g->first_root);
	free(g->first_set);
	*g = (struct holder_groups){ .group = NULL };
}

/* ---- folding ---------------------------------------------------------------------------- */

/* Returns NODE with the root or set that stands for its group. */
static struct mu_holder_node fold_node(const struct holder_groups *g, uint32_t moment,
				       const struct mu_holder_node *node)
{
	struct mu_holder_node to = { .kind = node->kind, .what = node->what };

	if (node->kind == MU_HOLDER_ROOT) {
		to.what = holder_groups_of_root(g, moment, node->what)->first;
	} else if (node->kind == MU_HOLDER_SET) {
		const struct holder_set_group *set = holder_groups_of_set(g, moment, node->what);

		to.kind = set->is_inner ? MU_HOLDER_ROOT : MU_HOLDER_SET;
		to.what = set->is_inner ? set->root : set->first;
	}
	return to;
}

/* The nodes that were written, as lists of children. */
struct folding {
	struct mu_holder_node *node;
	uint32_t count;
	uint32_t *child, *next; /* per node, 0 none */
};

/* Returns the node for what NODE describes below its parent, which is there or is added. */
static uint32_t find_or_append(struct folding *f, const struct mu_holder_node *node)
{
	uint32_t i = f->child[node->parent];

	while (i && (f->node[i].kind != node->kind || f->node[i].what != node->what))
		i = f->next[i];
	if (i)
		return i;
	f->node[f->count] = *node;
	f->next[f->count] = f->child[node->parent];
	f->child[node->parent] = f->count;
	return f->count++;
}

uint32_t holder_groups_fold(const struct holder_groups *g, uint32_t moment,
			    const struct mu_holder_node *node, uint32_t count,
			    struct mu_holder_node *to)
{
	uint32_t *place = xcalloc((size_t)count + 1, sizeof(*place));
	struct folding f = { .node = to, .count = 1,
			     .child = xcalloc((size_t)count + 1, sizeof(*f.child)),
			     .next = xcalloc((size_t)count + 1, sizeof(*f.next)) };

	to[0] = node[0];
	for (uint32_t i = 1; i < count; i++) {
		struct mu_holder_node new = fold_node(g, moment, &node[i]);

		new.parent = place[node[i].parent];
		place[i] = find_or_append(&f, &new);
		to[place[i]].bytes += node[i].bytes;
		to[place[i]].blocks += node[i].blocks;
	}
	free(place);
	free(f.child);
	free(f.next);
	return f.count;
}
