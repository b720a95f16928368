/* renames.c -- Finds functions that have another name in the new build.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/renames.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	CANDIDATES = 400,	/* of each side: every pair is compared */
	NAME_MOST = 128,	/* bytes of a name that are compared */
	NEAR_PCT = 10,		/* figures that differ by less are alike */
	BLOCKS_LEAST = 16	/* fewer blocks are alike by chance */
};

/* A neighbour of a function in the tree. */
enum { CALLER = 1, CALLEE = 2, MEMORY = 3 };
#define NEIGHBOUR(kind, key) ((uint64_t)(kind) << 32 | (key))

/* A function that only one side has. */
struct candidate {
	uint32_t key;
	uint64_t bytes, blocks;
	uint64_t *around;	/* its neighbours, sorted, without duplicates */
	uint32_t count, room;
};

struct candidates {
	struct candidate *of;
	uint32_t count;
};

static bool is_only_on(const struct call_trie *t, uint32_t key, enum side side)
{
	return call_trie_is_on_side(t, key, side) && !call_trie_is_on_side(t, key, !side) &&
	       !t->key[key].is_exact && !t->key[key].is_nameless;
}

static int compare_by_weight(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static void list_candidates(struct candidates *c, const struct call_trie *t, enum side side)
{
	uint32_t room = 0;

	*c = (struct candidates){ .count = 0 };
	for (uint32_t i = 1; i <= t->keys.count; i++) {
		if (!is_only_on(t, i, side))
			continue;
		array_reserve(&c->of, &room, (size_t)c->count + 1, sizeof(*c->of));
		c->of[c->count++] = (struct candidate){ .key = i, .bytes = t->key[i].bytes[side] };
	}
	if (c->count > 1)
		qsort(c->of, c->count, sizeof(*c->of), compare_by_weight);
	if (c->count > CANDIDATES)
		c->count = CANDIDATES;
}

static void free_candidates(struct candidates *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		free(c->of[i].around);
	free(c->of);
}

/* ---- neighbours ---------------------------------------------------------------------------- */

static void append_neighbour(struct candidate *c, uint64_t neighbour)
{
	array_reserve(&c->around, &c->room, (size_t)c->count + 1, sizeof(*c->around));
	c->around[c->count++] = neighbour;
}

/* A name that only one side has says nothing about the other. */
static uint32_t neighbour_key(const struct call_trie *t, uint32_t key)
{
	return call_trie_is_on_side(t, key, SIDE_OLD) && call_trie_is_on_side(t, key, SIDE_NEW) ?
		       key : 0;
}

static void collect_neighbours(const struct call_trie *t, struct candidates *c, enum side side)
{
	uint32_t *number = xcalloc((size_t)t->keys.count + 1, sizeof(*number));

	for (uint32_t i = 0; i < c->count; i++)
		number[c->of[i].key] = i + 1;
	for (uint32_t i = 1; i < t->count; i++) {
		const struct call_node *n = &t->node[i], *caller = &t->node[n->parent];
		uint32_t own = number[n->key], callers = number[caller->key];

		if (own) {
			append_neighbour(&c->of[own - 1],
					 NEIGHBOUR(CALLER, neighbour_key(t, caller->key)));
			c->of[own - 1].blocks += n->blocks[side];
		}
		if (own && n->ends[side])
			append_neighbour(&c->of[own - 1], NEIGHBOUR(MEMORY, 0));
		if (callers && n->place[side].location != CALL_NONE)
			append_neighbour(&c->of[callers - 1],
					 NEIGHBOUR(CALLEE, neighbour_key(t, n->key)));
	}
	free(number);
}

static int compare_neighbours(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_neighbours(struct candidates *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct candidate *of = &c->of[i];
		uint32_t kept = 0;

		qsort(of->around, of->count, sizeof(*of->around), compare_neighbours);
		for (uint32_t k = 0; k < of->count; k++) {
			if (k == 0 || of->around[k] != of->around[k - 1])
				of->around[kept++] = of->around[k];
		}
		of->count = kept;
	}
}

/* ---- likeness ------------------------------------------------------------------------------ */

/* The part of the neighbours that two functions share, 0 to 1. */
static double shared_neighbours(const struct candidate *a, const struct candidate *b)
{
	uint32_t i = 0, k = 0, shared = 0;

	while (i < a->count && k < b->count) {
		const uint64_t x = a->around[i], y = b->around[k];

		shared += x == y;
		i += x <= y;
		k += y <= x;
	}
	return a->count + b->count ? 2.0 * shared / (a->count + b->count) : 0;
}

static bool is_near(uint64_t a, uint64_t b)
{
	const uint64_t more = a > b ? a : b, less = a > b ? b : a;

	return more > 0 && (double)(more - less) <= (double)more * NEAR_PCT / 100;
}

/* Returns the length of the namespace that two names share: "std::", "runtime.". */
static size_t shared_namespace(const char *a, const char *b)
{
	size_t length = 0;

	for (size_t i = 0; a[i] && a[i] == b[i] && a[i] != '\n'; i++) {
		if (a[i] == ':' || a[i] == '.')
			length = i + 1;
	}
	return length;
}

/* The part of two names that is in both, in the same order, 0 to 1. A namespace that both have is
 * left out. */
static double shared_name(const char *a, const char *b)
{
	unsigned short row[NAME_MOST + 1] = { 0 };
	const size_t length = shared_namespace(a, b);

	const size_t x = strcspn(a + length, "\n"), y = strcspn(b + length, "\n");
	const size_t rows = x < NAME_MOST ? x : NAME_MOST, columns = y < NAME_MOST ? y : NAME_MOST;

	for (size_t i = 0; i < rows; i++) {
		unsigned short before = 0;

		for (size_t k = 0; k < columns; k++) {
			unsigned short above = row[k + 1];

			row[k + 1] = a[length + i] == b[length + k] ? before + 1 :
				     above > row[k]			? above : row[k];
			before = above;
		}
	}
	return rows + columns ? 2.0 * row[columns] / (double)(rows + columns) : 0;
}

static const char *file_of_key(const struct call_trie *t, const struct compare_side side[SIDES],
			       uint32_t key, enum side which)
{
	const struct profile *p = side[which].filter->profile;
	const struct call_place *at = &t->key[key].place[which];
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, at->location, &count);
	const char *path, *slash;

	if (at->level >= count)
		return "";
	path = symbols_text(&p->symbols, level[at->level].file);
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Returns how well a pair fits; 0: not at all. Reasons are worth as much as they seldom deceive. */
static double rate_pair(const struct call_trie *t, const struct compare_side side[SIDES],
			const struct candidate *a, const struct candidate *b)
{
	const double around = shared_neighbours(a, b);
	const char *old = strings_get(&t->keys, a->key), *new = strings_get(&t->keys, b->key);
	const bool has_figures = is_near(a->bytes, b->bytes) ||
				 (a->blocks >= BLOCKS_LEAST && is_near(a->blocks, b->blocks));
	double name;

	if (around < 0.5 || t->key[a->key].module != t->key[b->key].module)
		return 0;
	name = shared_name(old, new);
	if (!has_figures && name < 0.6)
		return 0;
	return around + name + 0.5 * has_figures +
	       0.5 * (strcmp(file_of_key(t, side, a->key, SIDE_OLD),
			     file_of_key(t, side, b->key, SIDE_NEW)) == 0);
}

/* The best candidate of the other side. */
struct best {
	double rate;
	uint32_t with;
};

static void rate_all_pairs(const struct call_trie *t, const struct compare_side side[SIDES],
			   const struct candidates c[SIDES], struct best *best[SIDES])
{
	for (uint32_t i = 0; i < c[SIDE_OLD].count; i++) {
		for (uint32_t k = 0; k < c[SIDE_NEW].count; k++) {
			double rate = rate_pair(t, side, &c[SIDE_OLD].of[i], &c[SIDE_NEW].of[k]);

			if (rate > best[SIDE_OLD][i].rate)
				best[SIDE_OLD][i] = (struct best){ rate, k };
			if (rate > best[SIDE_NEW][k].rate)
				best[SIDE_NEW][k] = (struct best){ rate, i };
		}
	}
}

uint32_t renames_find(const struct call_trie *t, const struct compare_side side[SIDES],
		      uint32_t *alias)
{
	struct candidates c[SIDES];
	struct best *best[SIDES];
	uint32_t found = 0;

	for (uint32_t i = 0; i <= t->keys.count; i++)
		alias[i] = i;
	for (int s = 0; s < SIDES; s++) {
		list_candidates(&c[s], t, s);
		collect_neighbours(t, &c[s], s);
		sort_neighbours(&c[s]);
		best[s] = xcalloc((size_t)c[s].count + 1, sizeof(**best));
	}
	rate_all_pairs(t, side, c, best);
	for (uint32_t i = 0; i < c[SIDE_OLD].count; i++) {
		const struct best *b = &best[SIDE_OLD][i];

		if (b->rate <= 0 || best[SIDE_NEW][b->with].with != i)
			continue;
		alias[c[SIDE_OLD].of[i].key] = c[SIDE_NEW].of[b->with].key;
		found++;
	}
	for (int s = 0; s < SIDES; s++) {
		free_candidates(&c[s]);
		free(best[s]);
	}
	return found;
}
