/* root_sets.c -- Which roots together hold the blocks that no single one holds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/root_sets.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum { MORE = MU_HOLDER_SET_MOST + 1, ROUNDS = 64 };

/* The set of each block while it is being found. Blocks take over each other's sets, which only
 * grow, until nothing changes. */
struct search {
	const struct holding *h;
	const struct dominators *d;
	uint32_t *top; /* by number: the child of the entry that dominates it */
	uint32_t *blocks; /* numbers of blocks that are such children, ascending ... */
	uint32_t count;
	uint32_t *index;  /* ... by number: its index there */
	struct mu_holder_set *set;
};

static bool is_root(const struct search *s, uint32_t number)
{
	return s->d->vertex[number] <= s->h->roots;
}

/* Returns whether SET has grown. */
static bool add_root(struct mu_holder_set *set, uint32_t root)
{
	uint32_t at = 0;

	if (set->count == MORE)
		return false;
	while (at < set->count && set->root[at] < root)
		at++;
	if (at < set->count && set->root[at] == root)
		return false;
	if (set->count == MU_HOLDER_SET_MOST) {
		*set = (struct mu_holder_set){ .count = MORE };
		return true;
	}
	memmove(&set->root[at + 1], &set->root[at], (set->count - at) * sizeof(*set->root));
	set->root[at] = root;
	set->count++;
	return true;
}

static bool add_set(struct mu_holder_set *to, const struct mu_holder_set *from)
{
	bool has_grown = false;

	if (from->count == MORE) {
		has_grown = to->count != MORE;
		*to = *from;
		return has_grown;
	}
	for (uint32_t i = 0; i < from->count; i++)
		has_grown |= add_root(to, from->root[i]);
	return has_grown;
}

static bool add_holders_of(struct search *s, uint32_t i)
{
	const struct dominators *d = s->d;
	const uint32_t number = s->blocks[i];
	bool has_grown = false;

	for (uint64_t k = d->first[number]; k < d->first[number + 1]; k++) {
		const uint32_t top = s->top[d->predecessor[k]];

		if (is_root(s, top))
			has_grown |= add_root(&s->set[i], d->vertex[top] - HOLDING_ROOT(0));
		else if (top != number)
			has_grown |= add_set(&s->set[i], &s->set[s->index[top]]);
	}
	return has_grown;
}

/* A chain against the order of numbers takes a round for each link: beyond some rounds sets are
 * not told apart any more. */
static void find_sets(struct search *s)
{
	bool has_grown = true;

	for (unsigned int round = 0; has_grown; round++) {
		has_grown = false;
		for (uint32_t i = 0; i < s->count; i++) {
			if (!add_holders_of(s, i))
				continue;
			has_grown = true;
			if (round >= ROUNDS)
				s->set[i] = (struct mu_holder_set){ .count = MORE };
		}
	}
}

static void find_tops(struct search *s)
{
	const struct dominators *d = s->d;

	for (uint32_t n = 1; n < d->count; n++) {
		s->top[n] = d->immediate[n] == 0 ? n : s->top[d->immediate[n]];
		if (d->immediate[n] != 0 || is_root(s, n))
			continue;
		s->index[n] = s->count;
		s->blocks[s->count++] = n;
	}
}

/* ---- sets without duplicates ------------------------------------------------------------ */

static int compare_sets(const struct mu_holder_set *a, const struct mu_holder_set *b)
{
	return memcmp(a, b, sizeof(*a));
}

struct sorted_set {
	struct mu_holder_set set;
	uint32_t number;
};

static int compare_sorted(const void *a, const void *b)
{
	return compare_sets(&((const struct sorted_set *)a)->set,
			    &((const struct sorted_set *)b)->set);
}

static void number_sets(struct root_sets *r, const struct search *s)
{
	struct sorted_set *all = xcalloc((size_t)s->count + 1, sizeof(*all));

	for (uint32_t i = 0; i < s->count; i++)
		all[i] = (struct sorted_set){ s->set[i], s->blocks[i] };
	qsort(all, s->count, sizeof(*all), compare_sorted);
	for (uint32_t i = 0; i < s->count; i++) {
		if (i == 0 || compare_sets(&all[i - 1].set, &all[i].set) != 0) {
			array_reserve(&r->set, &r->room, r->count + UINT64_C(1), sizeof(*r->set));
			r->set[r->count++] = all[i].set;
		}
		r->of[all[i].number] = r->count - 1;
	}
	free(all);
}

void root_sets_find(struct root_sets *r, const struct holding *h, const struct dominators *d)
{
	struct search s = { .h = h, .d = d,
			    .top = xcalloc(d->count, sizeof(*s.top)),
			    .index = xcalloc(d->count, sizeof(*s.index)),
			    .blocks = xcalloc(d->count, sizeof(*s.blocks)) };

	*r = (struct root_sets){ .count = 0 };
	find_tops(&s);
	s.set = xcalloc((size_t)s.count + 1, sizeof(*s.set));
	find_sets(&s);
	free(s.top);
	free(s.index);
	r->of = xmalloc(d->count * sizeof(*r->of));
	memset(r->of, 0xff, d->count * sizeof(*r->of));
	number_sets(r, &s);
	free(s.blocks);
	free(s.set);
}

void root_sets_free(struct root_sets *r)
{
	free(r->set);
	free(r->of);
	*r = (struct root_sets){ .count = 0 };
}
