/* profile_holders.c -- which block or root holds how much: small graphs whose answer is known, and
 * random ones against removing each vertex in turn.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/holder_tree.h"

#include <string.h>

#include "profile/graph/site_links.h"
#include "tests/lib/tap.h"

enum { BASE = 0x10000, STEP = 0x1000, MANY = 24, ROOTS = 4, GRAPHS = 3000, LONG = 300000 };

static struct block_set set;
static struct pointer_graph graph;
static struct holding holding;
static struct dominators dominators;
static struct root_sets sets;
static struct holder_tree retained, via;

/* ---- making graphs ---------------------------------------------------------------------- */

static uint64_t address_of(uint32_t block)
{
	return BASE + (uint64_t)block * STEP;
}

static void add_blocks(uint32_t count, const uint32_t *site)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct heap_block b = { .start = address_of(i), .size = 100 + i,
					      .site = site ? site[i] : i };

		block_set_add(&set, &b);
	}
	block_set_finish(&set);
	pointer_graph_init(&graph, &set);
}

static void add_pointer(uint32_t from, uint32_t to)
{
	const uint64_t word = address_of(to);

	pointer_graph_scan(&graph, from, &word, 1);
}

/* The number of the root is its index; OF_POINTER is made from it. */
static void add_root(uint32_t root, uint32_t to)
{
	const uint64_t word = address_of(to) + to % 2; /* an interior pointer holds as well */

	pointer_graph_scan_root(&graph, root, 0, &word, 1);
}

static const struct holding_nest *nests; /* of roots, for the next call */

static void find_holders(const uint8_t *rank, uint32_t roots, uint32_t most)
{
	uint32_t *of_pointer = calloc(graph.roots + 1, sizeof(*of_pointer));
	const struct holding_roots r = { .of_pointer = of_pointer, .rank = rank, .count = roots,
					 .nest = nests };
	struct block_tree tree;

	for (uint64_t i = 0; i < graph.roots; i++)
		of_pointer[i] = graph.root[i].root;
	pointer_graph_finish(&graph);
	holding_build(&holding, &graph, &r);
	dominators_find(&dominators, &holding.graph);
	root_sets_find(&sets, &holding, &dominators);
	tree = (struct block_tree){ dominators.count, dominators.vertex, dominators.immediate };
	holder_tree_fold(&retained, &tree, &holding, &set, sets.of, most);
	holding_paths(&tree, &holding);
	holder_tree_fold(&via, &tree, &holding, &set, NULL, most);
	free(tree.vertex);
	free(tree.parent);
	free(of_pointer);
}

static void free_all(void)
{
	holder_tree_free(&via);
	holder_tree_free(&retained);
	root_sets_free(&sets);
	dominators_free(&dominators);
	holding_free(&holding);
	pointer_graph_free(&graph);
	block_set_free(&set);
}

/* ---- reading trees ---------------------------------------------------------------------- */

static uint64_t bytes_below(const struct holder_tree *t, uint32_t node)
{
	uint64_t bytes = 0;

	for (uint32_t i = node; i < t->count; i++) {
		uint32_t at = i;

		while (at > node)
			at = t->node[at].parent;
		if (at == node)
			bytes += t->node[i].bytes;
	}
	return bytes;
}

/* Returns the number of a node, UINT32_MAX if there is none. */
static uint32_t find_node(const struct holder_tree *t, uint32_t parent, uint32_t kind,
			  uint32_t what)
{
	for (uint32_t i = 1; i < t->count; i++) {
		const struct mu_holder_node *n = &t->node[i];

		if (n->parent == parent && n->kind == kind && n->what == what)
			return i;
	}
	return UINT32_MAX;
}

static uint64_t bytes_of_root(const struct holder_tree *t, uint32_t root)
{
	const uint32_t node = find_node(t, 0, MU_HOLDER_ROOT, root);

	return node == UINT32_MAX ? 0 : bytes_below(t, node);
}

/* ---- known graphs ----------------------------------------------------------------------- */

static const uint8_t one_rank[ROOTS];

/* Root 0 -> 0 -> {1, 2} -> 3, and 4 is held by roots 0 and 1; 5 -> 6 are lost. */
static void test_diamond(void)
{
	static const uint32_t site[] = { 10, 11, 11, 12, 13, 14, 15 };
	uint32_t node;

	add_blocks(7, site);
	add_pointer(0, 1);
	add_pointer(0, 2);
	add_pointer(1, 3);
	add_pointer(2, 3);
	add_pointer(2, 4);
	add_pointer(5, 6);
	add_root(0, 0);
	add_root(1, 4);
	find_holders(one_rank, 2, 1000);
	EQ_U(bytes_of_root(&retained, 0), 100 + 101 + 102 + 103);
	EQ_U(bytes_of_root(&retained, 1), 0);
	EQ_U(bytes_of_root(&retained, 2), 105 + 106);
	EQ_U(bytes_below(&retained, 0), set.bytes);
	node = find_node(&retained, 0, MU_HOLDER_SET, 0);
	EQ_U(bytes_below(&retained, node), 104);
	EQ_U(sets.count, 1);
	EQ_U(sets.set[0].count, 2);
	EQ_U(sets.set[0].root[1], 1);
	node = find_node(&retained, find_node(&retained, 0, MU_HOLDER_ROOT, 0), MU_HOLDER_SITE, 10);
	EQ_U(retained.node[find_node(&retained, node, MU_HOLDER_SITE, 11)].blocks, 2);
	EQ_U(retained.node[find_node(&retained, node, MU_HOLDER_SITE, 12)].bytes, 103);
	/* Block 3 is below 1 or 2 there, and each path to 4 is of one root. */
	EQ_U(bytes_of_root(&via, 0), 100 + 101 + 102 + 103);
	EQ_U(bytes_of_root(&via, 1), 104);
	EQ_U(bytes_below(&via, 0), set.bytes);
	free_all();
}

/* What a variable reaches no stack holds. */
static void test_ranks(void)
{
	static const uint8_t rank[] = { 0, 1 };

	add_blocks(4, NULL);
	add_pointer(0, 1);
	add_pointer(2, 1);
	add_pointer(2, 3);
	add_root(0, 0);
	add_root(1, 1);
	add_root(1, 2);
	find_holders(rank, 2, 1000);
	EQ_U(bytes_of_root(&retained, 0), 100 + 101);
	EQ_U(bytes_of_root(&retained, 1), 102 + 103);
	EQ_U(sets.count, 0);
	free_all();
}

/* Root 0 is a variable. Of a nest root 3 is the outermost, then 2 and 1; root 4 is of another one. */
static void test_nests(void)
{
	static const uint8_t rank[] = { 0, 1, 1, 1, 1 };
	static const struct holding_nest nest[] = { { 0 }, { 7, 5 }, { 7, 2 }, { 7, 0 }, { 8, 1 } };

	nests = nest;
	add_blocks(9, NULL);
	add_root(0, 0);
	add_root(3, 0); /* the variable's: what it leads to is not followed */
	add_pointer(0, 7);
	add_root(1, 7);
	add_root(3, 1); /* 1 -> 2 -> 3, which inner frames have, too */
	add_pointer(1, 2);
	add_pointer(2, 3);
	add_root(2, 2);
	add_root(1, 3);
	add_root(2, 4); /* 4 is of two nests, the innermost of one does not count */
	add_root(1, 4);
	add_root(4, 4);
	add_root(1, 5); /* 5 only the innermost has, 6 only the middle one, twice */
	add_root(2, 6);
	add_root(2, 6);
	add_root(4, 8);
	find_holders(rank, 5, 1000);
	nests = NULL;
	EQ_U(bytes_of_root(&retained, 0), 100 + 107);
	EQ_U(bytes_of_root(&retained, 1), 105);
	EQ_U(bytes_of_root(&retained, 2), 106);
	EQ_U(bytes_of_root(&retained, 3), 101 + 102 + 103);
	EQ_U(bytes_of_root(&retained, 4), 108);
	EQ_U(bytes_below(&retained, 0), set.bytes);
	EQ_U(sets.count, 1);
	EQ_U(sets.set[0].count, 2);
	EQ_U(sets.set[0].root[0], 2);
	EQ_U(sets.set[0].root[1], 4);
	free_all();
}

/* A list is one node, whatever its length, and so is what each of its links holds. */
static void test_list(void)
{
	uint32_t *site = calloc(LONG, sizeof(*site));
	uint32_t list, data;

	for (uint32_t i = 0; i < LONG; i++)
		site[i] = i % 2;
	add_blocks(LONG, site);
	for (uint32_t i = 0; i + 2 < LONG; i++) {
		if (i % 2 == 0) {
			add_pointer(i, i + 2);
			add_pointer(i, i + 1);
		}
	}
	add_pointer(LONG - 2, 0); /* to the first one again */
	add_pointer(LONG - 2, LONG - 1);
	add_root(0, 0);
	find_holders(one_rank, 1, 1000);
	EQ_U(retained.count, 4);
	list = find_node(&retained, find_node(&retained, 0, MU_HOLDER_ROOT, 0), MU_HOLDER_SITE, 0);
	EQ_U(retained.node[list].blocks, LONG / 2);
	data = find_node(&retained, list, MU_HOLDER_SITE, 1);
	EQ_U(retained.node[data].blocks, LONG / 2);
	EQ_U(bytes_below(&retained, 0), set.bytes);
	free_all();
	free(site);
}

static void test_many_roots(void)
{
	add_blocks(3, NULL);
	for (uint32_t i = 0; i < 7; i++)
		add_root(i, i < 4 ? 0 : 1);
	add_pointer(0, 2);
	add_pointer(1, 2);
	find_holders((const uint8_t[7]){ 0 }, 7, 1000);
	EQ_U(sets.count, 3);
	EQ_U(sets.set[sets.of[dominators.number[HOLDING_BLOCK(&holding, 0)]]].count, 4);
	EQ_U(sets.set[sets.of[dominators.number[HOLDING_BLOCK(&holding, 1)]]].root[2], 6);
	EQ_U(sets.set[sets.of[dominators.number[HOLDING_BLOCK(&holding, 2)]]].count,
	     MU_HOLDER_SET_MOST + 1);
	free_all();
}

static void test_rest(void)
{
	add_blocks(100, NULL);
	for (uint32_t i = 0; i < 100; i++)
		add_root(0, i);
	find_holders(one_rank, 1, 12);
	EQ_U(bytes_below(&retained, 0), set.bytes);
	EQ_U(retained.count, 13);
	EQ_U(retained.node[12].kind, MU_HOLDER_REST);
	EQ_U(retained.node[12].blocks, 90);
	free_all();
	add_blocks(0, NULL);
	find_holders(one_rank, 1, 12);
	EQ_U(retained.count, 1);
	free_all();
}

/* ---- random graphs ---------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* Marks what vertex 0 reaches without a vertex. */
static void reach_without(uint32_t removed, bool *is_reached, uint32_t from)
{
	const struct flow_graph *g = &holding.graph;

	if (from == removed || is_reached[from])
		return;
	is_reached[from] = true;
	for (uint64_t i = g->first[from]; i < g->first[from + 1]; i++)
		reach_without(removed, is_reached, g->to[i]);
}

static bool is_above(uint32_t n, uint32_t other)
{
	while (other > n)
		other = dominators.immediate[other];
	return other == n;
}

/* Returns how many pairs of vertices the tree is wrong about. */
static unsigned int count_wrong_dominators(void)
{
	unsigned int wrong = 0;

	for (uint32_t v = 0; v < holding.graph.count; v++) {
		bool is_reached[MANY + ROOTS + 3] = { false };

		reach_without(v, is_reached, 0);
		for (uint32_t w = 0; w < holding.graph.count; w++)
			wrong += is_above(dominators.number[v], dominators.number[w]) ==
				 is_reached[w];
	}
	return wrong;
}

/* Marks what a root reaches through blocks of its rank alone, or of all ranks. */
static void reach_blocks(bool *is_reached, uint32_t from, int rank)
{
	if (is_reached[from] || (rank >= 0 && holding.rank[from] != rank))
		return;
	is_reached[from] = true;
	for (uint64_t i = graph.first[from]; i < graph.first[from + 1]; i++)
		reach_blocks(is_reached, POINTER_TARGET(graph.to[i]), rank);
}

static void reach_from_roots(bool *is_reached, uint32_t root, int rank)
{
	for (uint64_t i = 0; i < graph.roots; i++) {
		if (graph.root[i].root == root)
			reach_blocks(is_reached, POINTER_TARGET(graph.root[i].to), rank);
	}
}

static unsigned int count_wrong_ranks(const uint8_t *rank)
{
	uint8_t least[MANY];
	unsigned int wrong = 0;

	memset(least, HOLDING_LEAST_RANK + 1, sizeof(least));
	for (uint32_t root = 0; root < ROOTS; root++) {
		bool is_reached[MANY] = { false };

		reach_from_roots(is_reached, root, -1);
		for (uint32_t i = 0; i < MANY; i++) {
			if (is_reached[i] && rank[root] < least[i])
				least[i] = rank[root];
		}
	}
	for (uint32_t i = 0; i < MANY; i++)
		wrong += least[i] != holding.rank[i];
	return wrong;
}

/* What is retained by a root is what it alone reaches; the rest have sets. */
static unsigned int count_wrong_roots(const uint8_t *rank)
{
	uint64_t bytes[ROOTS] = { 0 };
	bool reached[ROOTS][MANY] = { { false } };
	unsigned int wrong = 0;

	for (uint32_t root = 0; root < ROOTS; root++)
		reach_from_roots(reached[root], root, rank[root]);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint32_t number = dominators.number[HOLDING_BLOCK(&holding, i)];
		const struct mu_holder_set *known = sets.of[number] == ROOT_SETS_NONE ? NULL :
						    &sets.set[sets.of[number]];
		uint32_t count = 0, last = 0, same = 0;

		for (uint32_t root = 0; root < ROOTS; root++) {
			if (!reached[root][i])
				continue;
			count++;
			last = root;
			for (uint32_t k = 0; known && k < known->count; k++)
				same += known->root[k] == root;
		}
		if (count == 1)
			bytes[last] += set.block[i].size;
		wrong += known && (known->count != count || same != count);
	}
	for (uint32_t root = 0; root < ROOTS; root++)
		wrong += bytes_of_root(&retained, root) != bytes[root];
	return wrong;
}

static void test_random_graphs(void)
{
	unsigned int wrong_dominators = 0, wrong_ranks = 0, wrong_roots = 0, wrong_sums = 0;

	for (uint32_t i = 0; i < GRAPHS; i++) {
		const uint8_t rank[ROOTS] = { 0, 0, (uint8_t)draw(2), 1 };
		const uint32_t density = 1 + draw(3);

		add_blocks(MANY, NULL);
		for (uint32_t from = 0; from < MANY; from++) {
			for (uint32_t k = draw(density + 1); k > 0; k--)
				add_pointer(from, draw(MANY));
		}
		for (uint32_t k = 1 + draw(2 * ROOTS); k > 0; k--)
			add_root(draw(ROOTS), draw(MANY));
		find_holders(rank, ROOTS, 1000);
		wrong_dominators += count_wrong_dominators();
		wrong_ranks += count_wrong_ranks(rank);
		wrong_roots += count_wrong_roots(rank);
		wrong_sums += bytes_below(&retained, 0) != set.bytes ||
			      bytes_below(&via, 0) != set.bytes;
		free_all();
	}
	EQ_U(wrong_dominators, 0);
	EQ_U(wrong_ranks, 0);
	EQ_U(wrong_roots, 0);
	EQ_U(wrong_sums, 0);
}

static uint64_t pointers_of_link(const struct site_links *l, uint32_t kind, uint32_t from,
				 uint32_t to)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->link[i].kind == kind && l->link[i].from == from && l->link[i].to == to)
			return l->link[i].pointers;
	}
	return 0;
}

/* Two blocks of site 1 with three pointers to site 2, which has one to itself; and one is lost. */
static void test_links(void)
{
	static const uint32_t site[] = { 1, 1, 2, 2, 3 };
	struct site_links l;

	add_blocks(5, site);
	add_pointer(0, 2);
	add_pointer(0, 3);
	add_pointer(1, 2);
	add_pointer(2, 3);
	add_root(0, 0);
	add_root(0, 1);
	add_root(1, 1);
	find_holders(one_rank, 2, 1000);
	site_links_find(&l, &holding, &set, 100);
	EQ_U(l.count, 5);
	EQ_U(l.is_cut, 0);
	EQ_U(l.link[0].pointers, 3);
	EQ_U(pointers_of_link(&l, MU_HOLDER_SITE, 1, 2), 3);
	EQ_U(pointers_of_link(&l, MU_HOLDER_SITE, 2, 2), 1);
	EQ_U(pointers_of_link(&l, MU_HOLDER_ROOT, 0, 1), 2);
	EQ_U(pointers_of_link(&l, MU_HOLDER_ROOT, 1, 1), 1);
	EQ_U(pointers_of_link(&l, MU_HOLDER_ROOT, 2, 3), 1); /* LOST */
	site_links_free(&l);
	site_links_find(&l, &holding, &set, 2);
	EQ_U(l.count, 2);
	EQ_U(l.is_cut, 1);
	EQ_U(l.link[1].pointers, 2);
	site_links_free(&l);
	free_all();
}

/* So many links that the table grows several times. */
static void test_many_links(void)
{
	struct site_links l;
	uint64_t pointers = 0;

	add_blocks(LONG, NULL);
	for (uint32_t i = 1; i < LONG; i++)
		add_pointer(0, i);
	add_root(0, 0);
	find_holders(one_rank, 1, 1000);
	site_links_find(&l, &holding, &set, LONG);
	for (uint32_t i = 0; i < l.count; i++)
		pointers += l.link[i].pointers;
	EQ_U(l.count, LONG);
	EQ_U(pointers, LONG);
	site_links_free(&l);
	free_all();
}

int main(void)
{
	test_diamond();
	test_links();
	test_many_links();
	test_ranks();
	test_nests();
	test_list();
	test_many_roots();
	test_rest();
	test_random_graphs();
	return done_testing();
}
